// SPDX-License-Identifier: Apache-2.0
// Random pipelines: by hand = critical path = simulation, and nothing that the judge cannot
// explain.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "lockstep/platforms/registry.hpp"
#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/lower/pipeline_schedule.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/pipeline_by_hand.hpp"
#include "lockstep/tests/support/property.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::PerChunk;
using lockstep::PipelineRun;
using lockstep::PipelineScheduleSpec;
using lockstep::ScheduleInfo;
using lockstep::Table;
using lockstep::TaskId;
using lockstep::TaskTimes;
using lockstep::Value;
using lockstep::testing::drawn;
using lockstep::testing::drawn_between;
using lockstep::testing::drawn_flag;
using lockstep::testing::drawn_list;
using lockstep::testing::drawn_log;
using lockstep::testing::PipelineByHand;
namespace tolerance = lockstep::tolerance;

/// A schedule and a shape that it takes.
struct Drawn {
  const ScheduleInfo* schedule = nullptr;
  PipelineScheduleSpec spec;
  std::int64_t group = 0;
};
Drawn drawn_shape(bool any_group) {
  Drawn shape;
  const auto schedules = lockstep::schedules();
  shape.schedule = schedules[static_cast<std::size_t>(
      drawn(0, static_cast<std::int64_t>(schedules.size()) - 1))];
  shape.spec.stages = drawn(1, 6);
  shape.spec.microbatches = drawn(1, 18);
  shape.spec.virtual_stages = drawn(1, 3);
  PipelineRun run;
  run.schedule = shape.schedule;
  if (!shape.schedule->refusal(shape_of(shape.spec, run)).empty()) shape.spec.virtual_stages = 1;
  run.forward = run.backward = PerChunk(1.0);
  if (shape.spec.virtual_stages > 1 && drawn_flag())
    run.group = shape.group =
        any_group ? shape.spec.stages + drawn(0, 5) : shape.spec.stages * drawn(1, 3);
  // Shapes that wait in a circle are conformance's to report.
  RC_PRE(std::isfinite(PipelineByHand(shape_of(shape.spec, run), run).makespan()));
  return shape;
}

PipelineRun drawn_run(const Drawn& shape) {
  const std::int64_t chunks = shape.spec.stages * shape.spec.virtual_stages;
  const double scale = drawn_log(1e-6, 1e6);
  PipelineRun run;
  run.schedule = shape.schedule;
  run.group = shape.group;
  run.forward = PerChunk(drawn_list(chunks, 0.0, scale));
  run.backward = PerChunk(drawn_list(chunks, 0.0, 2.0 * scale));
  const std::int64_t boundaries = boundaries_of(*shape.schedule, shape_of(shape.spec, run));
  if (boundaries > 0 && drawn_flag()) run.transfer = PerChunk(drawn_list(boundaries, 0.0, scale));
  run.p2p = drawn_flag() ? lockstep::PointToPoint::rendezvous : lockstep::PointToPoint::eager;
  return run;
}

/// Every (kind, microbatch, chunk) is one task, and there are no other operations.
bool every_task_once(const lockstep::Job& job, const PipelineScheduleSpec& spec) {
  std::set<std::tuple<lockstep::TaskKind, std::int32_t, std::int32_t>> seen;
  std::int64_t operations = 0;
  for (const lockstep::Task& task : job.graph.tasks())
    if (task.stream == lockstep::Stream::compute) {
      ++operations;
      seen.insert({task.kind, task.microbatch, task.chunk});
    }
  const std::int64_t wanted = 2 * spec.stages * spec.microbatches * spec.virtual_stages;
  return operations == wanted && static_cast<std::int64_t>(seen.size()) == wanted &&
         job.operations == wanted;
}

/// A list, or one value, or nothing.
void maybe_times(Table& table, const std::string& key, std::int64_t count, double scale) {
  switch (count == 0 ? 0 : drawn(0, 2)) {
    case 1:
      table.set(key, drawn_between(0.0, scale));
      break;
    case 2: {
      lockstep::Array list;
      for (const double value : drawn_list(count, 0.0, scale)) list.emplace_back(value);
      table.set(key, Value(std::move(list)));
      break;
    }
    default:
      break;
  }
}

Table drawn_simulation(const Drawn& shape) {
  Table simulation;
  simulation.set("schedule", shape.schedule->name);
  if (shape.spec.virtual_stages > 1) simulation.set("virtual_stages", shape.spec.virtual_stages);
  // Of other groups the last may be smaller than the pipeline is deep: unit "judge limits".
  if (shape.group % shape.spec.stages == 0 && shape.group > 0) simulation.set("group", shape.group);
  const double scale = drawn_log(1e-3, 1e3);
  const std::int64_t chunks = shape.spec.stages * shape.spec.virtual_stages;
  maybe_times(simulation, "forward_s", chunks, scale);
  maybe_times(simulation, "backward_s", chunks, 2.0 * scale);
  PipelineRun run;
  run.schedule = shape.schedule;
  maybe_times(simulation, "transfer_s", boundaries_of(*shape.schedule, shape_of(shape.spec, run)),
              scale);
  if (drawn_flag()) {
    Table factors;
    factors.set(std::to_string(drawn(0, shape.spec.stages - 1)), drawn_between(0.5, 3.0));
    simulation.set("stage_scale", Value(std::move(factors)));
  }
  if (drawn_flag()) simulation.set("p2p", "rendezvous");
  return simulation;
}

std::string drawn_scenario() {
  // Of other groups the last may be smaller than the pipeline is deep: unit "judge limits".
  const Drawn shape = drawn_shape(false);
  Table scenario;
  scenario.set("kind", "pipeline-schedule");
  scenario.set("stages", shape.spec.stages);
  scenario.set("microbatches", shape.spec.microbatches);
  scenario.set("simulation", Value(drawn_simulation(shape)));
  return to_json(Value(std::move(scenario)));
}

}  // namespace

TEST_CASE("random pipelines", "[property]") {
  lockstep::testing::property("by hand = critical path = simulation, task by task", [] {
    const Drawn shape = drawn_shape(true);
    const PipelineRun run = drawn_run(shape);
    const lockstep::Job job = lower_pipeline_schedule(shape.spec, run);
    const TaskTimes path = critical_path(job.graph, job.network);
    const TaskTimes simulated = simulate(job.graph, job.network);
    PipelineByHand hand(shape_of(shape.spec, run), run);
    const double makespan = hand.makespan();
    RC_ASSERT(tolerance::equal(path.last_end(), makespan, tolerance::critical_path));
    RC_ASSERT(tolerance::equal(simulated.last_end(), makespan, tolerance::simulation));
    for (TaskId id = 0; id < job.graph.size(); ++id)
      RC_ASSERT(std::abs(path.end[id] - simulated.end[id]) <= tolerance::simulation * makespan);
    RC_ASSERT(makespan >= hand.busiest() * (1.0 - tolerance::exact));
    RC_ASSERT(every_task_once(job, shape.spec));
  });
  lockstep::testing::property("longer times never shorten the step", [] {
    const Drawn shape = drawn_shape(true);
    const PipelineRun run = drawn_run(shape);
    PipelineRun longer = run;
    std::vector<double> forward = run.forward.values();
    forward[static_cast<std::size_t>(drawn(0, static_cast<std::int64_t>(forward.size()) - 1))] *=
        drawn_between(1.0, 3.0);
    longer.forward = PerChunk(std::move(forward));
    const lockstep::Job job = lower_pipeline_schedule(shape.spec, run);
    const lockstep::Job longer_job = lower_pipeline_schedule(shape.spec, longer);
    RC_ASSERT(simulate(longer_job.graph, longer_job.network).last_end() >=
              simulate(job.graph, job.network).last_end() * (1.0 - tolerance::exact));
  });
}

TEST_CASE("random pipeline scenarios are equal or explained", "[property]") {
  lockstep::testing::property("the judge finds no mismatch", [] {
    const std::string json = drawn_scenario();
    const auto scenario = lockstep::scenario_from_json(json, "random");
    RC_PRE(scenario->predict().total().si() > 0.0);  // of no time at all: unit "judge limits"
    for (const lockstep::Row& row : judge(*scenario)) {
      RC_LOG() << json << "\n" << sentence_for(row) << "\n";
      RC_ASSERT(row.verdict == lockstep::Verdict::equal ||
                row.verdict == lockstep::Verdict::explained);
      RC_ASSERT((row.verdict == lockstep::Verdict::equal || !row.costs.empty()));
      double sum = row.formula;
      for (const lockstep::Cost& cost : row.costs) sum += cost.amount;
      const double size = std::max(row.formula, row.simulation);
      RC_ASSERT(std::abs(sum - row.simulation) <= tolerance::simulation * size);
    }
  });
}
