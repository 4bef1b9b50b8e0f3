// SPDX-License-Identifier: Apache-2.0
// Every registered schedule, over a grid of shapes: each operation once and in an order that can
// run, on the device that holds its chunk, with the live activations that it declares.
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "lockstep/sim/lower/pipeline_schedule.hpp"
#include "lockstep/sim/schedules/schedule.hpp"
#include "lockstep/sim/timeline_of.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/random.hpp"
#include "lockstep/traces/metrics.hpp"

namespace {

using lockstep::DeviceOrder;
using lockstep::Op;
using lockstep::OpKind;
using lockstep::PipelineShape;
using lockstep::ScheduleInfo;

template <class Visit>
void for_each_shape(const ScheduleInfo& schedule, Visit&& visit) {
  int visited = 0;
  for (const std::int64_t stages : {1, 2, 3, 4, 8})
    for (const std::int64_t microbatches : {1, 2, 3, 4, 5, 8, 12})
      for (const std::int64_t chunks : {1, 2, 3}) {
        const PipelineShape shape{stages, microbatches, chunks, 0};
        if (!schedule.refusal(shape).empty()) continue;
        INFO(schedule.name << " p=" << stages << " m=" << microbatches << " V=" << chunks);
        visit(shape);
        ++visited;
      }
  CHECK(visited >= 35);  // all of V = 1, or it is not a pipeline schedule
}

lockstep::Job lowered(const ScheduleInfo& schedule, const PipelineShape& shape,
                      std::vector<double> forward, std::vector<double> backward) {
  lockstep::PipelineScheduleSpec spec;
  spec.stages = shape.stages;
  spec.microbatches = shape.microbatches;
  spec.virtual_stages = shape.virtual_stages;
  lockstep::PipelineRun run;
  run.schedule = &schedule;
  run.forward = lockstep::PerChunk(std::move(forward));
  run.backward = lockstep::PerChunk(std::move(backward));
  return lower_pipeline_schedule(spec, run);
}

/// The largest number of live microbatches (chunks when interleaved) of each device in a run.
std::vector<std::int64_t> peaks(const lockstep::Job& job) {
  const lockstep::TaskTimes times = lockstep::critical_path(job.graph, job.network);
  const lockstep::Timeline timeline = lockstep::timeline_of(job, times);
  timeline.check();
  std::vector<std::int64_t> list;
  for (const auto& device : lockstep::device_figures(timeline, times.last_end()))
    list.push_back(device.peak_live_microbatches);
  return list;
}

}  // namespace

TEST_CASE("schedules describe themselves", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      CHECK_FALSE(schedule->summary.empty());
      CHECK_FALSE(schedule->source.empty());
      CHECK_FALSE(schedule->claim.formula.empty());
      CHECK(schedule->claim.tolerance > 0.0);
      CHECK(schedule->claim.tolerance <= 1e-9);
    }
}

TEST_CASE("schedules: a shape that is refused has a reason", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      for (const std::int64_t chunks : {1, 2, 3})
        for (const std::int64_t group : {0, 1, 2, 4, 7}) {
          const PipelineShape shape{4, 8, chunks, group};
          const std::string reason = schedule->refusal(shape);
          INFO("V=" << chunks << " group=" << group << ": " << reason);
          if (!reason.empty()) CHECK_THAT(reason, Catch::Contains("must be"));
          if (reason.empty()) CHECK(schedule->build(shape).size() == 4);
        }
    }
}

TEST_CASE("schedules: each operation exactly once, on the device of its chunk", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      for_each_shape(*schedule, [&](const PipelineShape& shape) {
        const std::vector<DeviceOrder> orders = schedule->build(shape);
        REQUIRE(orders.size() == static_cast<std::size_t>(shape.stages));
        std::set<std::tuple<OpKind, std::int32_t, std::int32_t>> seen;
        bool all_valid = true;
        std::size_t count = 0;
        for (std::int64_t device = 0; device < shape.stages; ++device)
          for (const Op& op : orders[static_cast<std::size_t>(device)]) {
            ++count;
            all_valid = all_valid && op.microbatch >= 0 && op.microbatch < shape.microbatches &&
                        op.chunk >= 0 && op.chunk < shape.chunks() &&
                        schedule->device_of(shape, op.chunk) == device;
            seen.insert({op.kind, op.microbatch, op.chunk});
          }
        CHECK(all_valid);
        CHECK(count == seen.size());
        CHECK(count == static_cast<std::size_t>(2 * shape.chunks() * shape.microbatches));
      });
    }
}

TEST_CASE("schedules: every device holds V chunks", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      for_each_shape(*schedule, [&](const PipelineShape& shape) {
        std::map<std::int64_t, std::int64_t> held;
        for (std::int64_t chunk = 0; chunk < shape.chunks(); ++chunk)
          ++held[schedule->device_of(shape, chunk)];
        CHECK(held.size() == static_cast<std::size_t>(shape.stages));
        CHECK(held.begin()->first == 0);
        CHECK(held.rbegin()->first == shape.stages - 1);
        for (const auto& [device, chunks] : held) CHECK(chunks == shape.virtual_stages);
      });
    }
}

TEST_CASE("schedules: forward before backward, and nobody waits in a circle", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      for_each_shape(*schedule, [&](const PipelineShape& shape) {
        bool forward_first = true;
        for (const DeviceOrder& order : schedule->build(shape)) {
          std::set<std::pair<std::int32_t, std::int32_t>> done;
          for (const Op& op : order) {
            const std::pair key{op.microbatch, op.chunk};
            if (op.kind == OpKind::forward) done.insert(key);
            forward_first = forward_first && done.contains(key);
          }
        }
        CHECK(forward_first);
        const lockstep::Job job = lowered(*schedule, shape, {1.0}, {2.0});
        CHECK(job.operations == 2 * shape.chunks() * shape.microbatches);
        CHECK(find_cycle(job.graph).empty());
      });
    }
}

TEST_CASE("schedules: larger groups than the default can run too", "[schedules]") {
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      for (const std::int64_t stages : {1, 2, 3, 4})
        for (const std::int64_t microbatches : {1, 2, 4, 5, 7, 12})
          for (const std::int64_t chunks : {1, 2, 3})
            for (const std::int64_t group : {1, 2, 3, 4, 5, 8, 20}) {
              const PipelineShape shape{stages, microbatches, chunks, group};
              if (!schedule->refusal(shape).empty()) continue;
              INFO("p=" << stages << " m=" << microbatches << " V=" << chunks
                        << " group=" << group);
              lockstep::PipelineScheduleSpec spec;
              spec.stages = stages;
              spec.microbatches = microbatches;
              spec.virtual_stages = chunks;
              lockstep::PipelineRun run;
              run.schedule = schedule;
              run.group = group;
              const lockstep::Job job = lower_pipeline_schedule(spec, run);
              CHECK(find_cycle(job.graph).empty());
            }
    }
}

// The number of live activations follows from the order alone, so the claim is met exactly, and
// whatever the times are.
TEST_CASE("schedules: live activations reach exactly what is declared", "[schedules]") {
  lockstep::testing::Random random(20261129);
  for (const ScheduleInfo* schedule : lockstep::schedules()) DYNAMIC_SECTION(schedule->name) {
      for_each_shape(*schedule, [&](const PipelineShape& shape) {
        std::vector<std::int64_t> declared;
        for (std::int64_t device = 0; device < shape.stages; ++device)
          declared.push_back(schedule->peak_live(shape, device));
        const lockstep::Job equal = lowered(*schedule, shape, {1.0}, {2.0});
        if (!find_cycle(equal.graph).empty()) return;  // reported by the case before
        CHECK(peaks(equal) == declared);
        const auto chunks = static_cast<std::size_t>(shape.chunks());
        CHECK(peaks(lowered(*schedule, shape, random.list(chunks, 0.1, 2.0),
                            random.list(chunks, 0.1, 2.0))) == declared);
      });
    }
}
