// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/lower/parallel_layout.hpp"

#include <fmt/format.h>

namespace lockstep {
namespace {

Task slot_task(const ParallelLayoutSpec& spec, std::int64_t stage, std::int64_t microbatch) {
  Task task;
  task.kind = TaskKind::compute;
  task.seconds = spec.window().si() / static_cast<double>(spec.microbatches);
  task.device = static_cast<std::int32_t>(stage);
  task.chunk = static_cast<std::int32_t>(stage);
  task.microbatch = static_cast<std::int32_t>(microbatch);
  task.stream = Stream::compute;
  return task;
}

Task reduction_task(const ParallelLayoutSpec& spec, RouteId link, double share) {
  Task task;
  task.kind = TaskKind::message;
  task.bytes = share * 2.0 * spec.shard_bytes().si();
  task.route = link;
  task.device = static_cast<std::int32_t>(spec.pp_size) - 1;
  task.stream = Stream::data;
  return task;
}

}  // namespace

double task_count(const ParallelLayoutSpec& spec) {
  return static_cast<double>(spec.pp_size) * static_cast<double>(spec.microbatches) + 2.0;
}

Job lower_parallel_layout(const ParallelLayoutSpec& spec) {
  Job job;
  TaskGraphBuilder builder;
  const std::int64_t m = spec.microbatches;
  const auto slots = static_cast<std::size_t>(spec.pp_size * m);
  builder.reserve(slots + 2, 2 * slots + 4);
  for (std::int64_t stage = 0; stage < spec.pp_size; ++stage) {
    job.devices.push_back(fmt::format("stage {}", stage));
    for (std::int64_t microbatch = 0; microbatch < m; ++microbatch) {
      const TaskId id = builder.add(slot_task(spec, stage, microbatch));
      if (microbatch > 0) builder.depend(id - 1, id);
      if (stage > 0) builder.depend(id - static_cast<TaskId>(m), id);
    }
  }
  const RouteId link = job.network.add_route(
      {job.network.add_link("last stage's link", spec.link_bandwidth.si())}, true);
  const auto last_slot = static_cast<TaskId>(slots - 1);
  const TaskId overlapping = builder.add(reduction_task(spec, link, spec.overlap_fraction));
  // With the last stage's first slot: after what that slot waits for.
  if (spec.pp_size > 1) builder.depend(static_cast<TaskId>((spec.pp_size - 2) * m), overlapping);
  const TaskId rest = builder.add(reduction_task(spec, link, 1.0 - spec.overlap_fraction));
  builder.depend(overlapping, rest);
  builder.depend(last_slot, rest);
  job.operations = spec.pp_size * m;
  job.messages = (spec.pp_size - 1) * m + 2;
  job.graph = std::move(builder).build();
  return job;
}

}  // namespace lockstep
