// SPDX-License-Identifier: Apache-2.0
// Every registered schedule against the formula it claims, and the three ways of running one
// against each other: by hand, critical path, simulation.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "lockstep/analytic/formulas/pipeline_bubble.hpp"
#include "lockstep/platforms/registry.hpp"
#include "lockstep/sim/engine/engine.hpp"
#include "lockstep/sim/lower/pipeline_schedule.hpp"
#include "lockstep/sim/scenario.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/pipeline_by_hand.hpp"
#include "lockstep/tests/support/random.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::Assumption;
using lockstep::PerChunk;
using lockstep::PipelineRun;
using lockstep::PipelineScheduleSpec;
using lockstep::PipelineShape;
using lockstep::PointToPoint;
using lockstep::RunFigures;
using lockstep::ScheduleInfo;
using lockstep::Seconds;
using lockstep::testing::PipelineByHand;
using lockstep::testing::Random;
namespace tolerance = lockstep::tolerance;

template <class Visit>
void for_each_spec(const ScheduleInfo& schedule, Visit&& visit) {
  for (const std::int64_t stages : {1, 2, 3, 4, 8})
    for (const std::int64_t microbatches : {1, 2, 3, 4, 5, 8, 12})
      for (const std::int64_t chunks : {1, 2, 3}) {
        PipelineScheduleSpec spec;
        spec.stages = stages;
        spec.microbatches = microbatches;
        spec.virtual_stages = chunks;
        if (!schedule.refusal(PipelineShape{stages, microbatches, chunks, 0}).empty()) continue;
        INFO(schedule.name << " p=" << stages << " m=" << microbatches << " V=" << chunks);
        visit(spec);
      }
}

PipelineRun run_of(const ScheduleInfo& schedule, PerChunk forward, PerChunk backward) {
  PipelineRun run;
  run.schedule = &schedule;
  run.forward = std::move(forward);
  run.backward = std::move(backward);
  return run;
}

/// Whether the devices of a shape wait for each other. That is a fault, which the case "nobody
/// waits in a circle" reports; the cases here go on with the other shapes.
bool deadlocked(const PipelineScheduleSpec& spec, const PipelineRun& run) {
  return std::isinf(PipelineByHand(shape_of(spec, run), run).makespan());
}

/// Where the claim is made: the assumptions that a shape alone can break.
bool claimed(const ScheduleInfo& schedule, const PipelineScheduleSpec& spec) {
  for (const Assumption assumption : schedule.claim.assumptions) {
    if (assumption == Assumption::noninterleaved && spec.virtual_stages > 1) return false;
    if (assumption == Assumption::microbatches_divide_stages && spec.virtual_stages > 1 &&
        spec.microbatches % spec.stages != 0)
      return false;
  }
  return true;
}

/// Makespan and bubble of the formula that a schedule claims, by its name.
using Formula = RunFigures (*)(const PipelineScheduleSpec&, Seconds);
const std::map<std::string_view, Formula> formulas = {
    {"pipeline_bubble", [](const PipelineScheduleSpec& spec, Seconds chunk_time) {
       RunFigures figures;
       figures.makespan =
           pipeline_makespan(spec.stages, spec.microbatches, spec.virtual_stages, chunk_time).si();
       figures.bubble =
           lockstep::pipeline_bubble(spec.stages, spec.microbatches, spec.virtual_stages);
       return figures;
     }}};

/// What all three ways of running must agree on.
void check_three_ways(const PipelineScheduleSpec& spec, const PipelineRun& run) {
  const lockstep::Job job = lower_pipeline_schedule(spec, run);
  const lockstep::TaskTimes path = critical_path(job.graph, job.network);
  const lockstep::TaskTimes simulated = simulate(job.graph, job.network);
  PipelineByHand hand(shape_of(spec, run), run);
  const double makespan = hand.makespan();
  REQUIRE(std::isfinite(makespan));
  CHECK(tolerance::equal(path.last_end(), makespan, tolerance::critical_path));
  CHECK(tolerance::equal(simulated.last_end(), makespan, tolerance::simulation));
  CHECK(makespan >= hand.busiest() * (1.0 - tolerance::exact));
  double worst = 0.0;
  for (lockstep::TaskId id = 0; id < job.graph.size(); ++id)
    worst = std::max({worst, std::abs(path.start[id] - simulated.start[id]),
                      std::abs(path.end[id] - simulated.end[id])});
  CHECK(worst <= tolerance::simulation * makespan);
}

}  // namespace

TEST_CASE("schedules meet the formula they claim", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      const auto formula = formulas.find(schedule->claim.formula);
      INFO("a claim of " << schedule->claim.formula << " needs a line in this file");
      REQUIRE(formula != formulas.end());
      int equalities = 0;
      for_each_spec(*schedule, [&](const PipelineScheduleSpec& spec) {
        const PipelineRun run = run_of(*schedule, PerChunk(0.0123), PerChunk(0.0217));
        const lockstep::Job job = lower_pipeline_schedule(spec, run);
        if (!claimed(*schedule, spec)) return;
        const RunFigures wanted = formula->second(spec, Seconds(0.0123 + 0.0217));
        for (const lockstep::TaskTimes& times :
             {critical_path(job.graph, job.network), simulate(job.graph, job.network)}) {
          const RunFigures figures = run_figures(job, times);
          CHECK(tolerance::equal(figures.makespan, wanted.makespan, schedule->claim.tolerance));
          CHECK(std::abs(figures.bubble - wanted.bubble) <=
                schedule->claim.tolerance * (wanted.bubble == 0.0 ? 1.0 : wanted.bubble));
        }
        ++equalities;
      });
      CHECK(equalities >= 35);
    }
}

TEST_CASE("schedules are no faster than their formula where it does not hold", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      const auto formula = formulas.find(schedule->claim.formula);
      REQUIRE(formula != formulas.end());
      for_each_spec(*schedule, [&](const PipelineScheduleSpec& spec) {
        const PipelineRun run = run_of(*schedule, PerChunk(1.0), PerChunk(2.0));
        if (deadlocked(spec, run)) return;
        const lockstep::Job job = lower_pipeline_schedule(spec, run);
        const double wanted = formula->second(spec, Seconds(3.0)).makespan;
        CHECK(critical_path(job.graph, job.network).last_end() >=
              wanted * (1.0 - tolerance::critical_path));
      });
    }
}

TEST_CASE("schedules: by hand = critical path = simulation, unequal times, both transfers",
          "[schedules]") {
  Random random(20261129);
  for (const ScheduleInfo* schedule : lockstep::schedules())
    for (const PointToPoint p2p : {PointToPoint::eager, PointToPoint::rendezvous})
      DYNAMIC_SECTION(schedule->name << (p2p == PointToPoint::eager ? " eager" : " rendezvous")) {
        for_each_spec(*schedule, [&](const PipelineScheduleSpec& spec) {
          const auto chunks = static_cast<std::size_t>(spec.stages * spec.virtual_stages);
          PipelineRun run = run_of(*schedule, PerChunk(random.list(chunks, 0.1, 2.0)),
                                   PerChunk(random.list(chunks, 0.1, 4.0)));
          const auto boundaries =
              static_cast<std::size_t>(boundaries_of(*schedule, shape_of(spec, run)));
          if (boundaries > 0) run.transfer = PerChunk(random.list(boundaries, 0.01, 1.0));
          run.p2p = p2p;
          if (!deadlocked(spec, run)) check_three_ways(spec, run);
        });
      }
}

TEST_CASE("1F1B of 4 stages and 8 microbatches with transfers of half a forward", "[schedules]") {
  PipelineScheduleSpec spec;
  spec.stages = 4;
  spec.microbatches = 8;
  const ScheduleInfo* schedule = lockstep::find_by_name(lockstep::schedules(), "1f1b");
  REQUIRE(schedule != nullptr);
  PipelineRun run = run_of(*schedule, PerChunk(1.0), PerChunk(2.0));
  run.transfer = PerChunk(0.5);
  CHECK(PipelineByHand(shape_of(spec, run), run).makespan() == 41.0);
  check_three_ways(spec, run);
  run.p2p = PointToPoint::rendezvous;
  CHECK(PipelineByHand(shape_of(spec, run), run).makespan() == 42.5);
  check_three_ways(spec, run);
}
