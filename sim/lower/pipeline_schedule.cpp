// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/lower/pipeline_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

constexpr TaskId no_task = ~TaskId{0};

class PipelineLowering {
 public:
  PipelineLowering(TaskGraphBuilder& builder, const PipelineScheduleSpec& spec,
                   const PipelineRun& run)
      : builder_(builder),
        run_(run),
        shape_(shape_of(spec, run)),
        base_(static_cast<TaskId>(builder.size())) {}

  PipelinePart build() {
    const std::string refusal = run_.schedule->refusal(shape_);
    if (!refusal.empty())
      throw Error(ErrorKind::input, fmt::format("{}: {}", run_.schedule->name, refusal));
    place_chunks();
    const std::vector<DeviceOrder> orders = run_.schedule->build(shape_);
    add_operations(orders);
    add_device_order(orders);
    add_data_flow();
    PipelinePart part;
    for (std::int64_t device = 0; device < shape_.stages; ++device) {
      part.devices.push_back(fmt::format("stage {}", device));
      part.last.push_back(task_of(orders[static_cast<std::size_t>(device)].back()));
    }
    part.operations = operations_;
    part.messages = messages_;
    return part;
  }

 private:
  std::size_t slot(std::int64_t chunk, std::int64_t microbatch) const {
    return static_cast<std::size_t>(chunk * shape_.microbatches + microbatch);
  }

  void place_chunks() {
    std::size_t boundary = 0;
    for (std::int64_t chunk = 0; chunk < shape_.chunks(); ++chunk) {
      device_of_.push_back(static_cast<std::int32_t>(run_.schedule->device_of(shape_, chunk)));
      const bool crosses = chunk > 0 && device_of_.back() != device_of_[device_of_.size() - 2];
      transfer_into_.push_back(crosses ? run_.transfer[boundary++] : 0.0);
    }
  }

  void add_operations(const std::vector<DeviceOrder>& orders) {
    const auto slots = static_cast<std::size_t>(shape_.chunks() * shape_.microbatches);
    forwards_.assign(slots, no_task);
    backwards_.assign(slots, no_task);
    const bool timed = run_.transfer.largest() > 0.0;
    builder_.reserve(slots * (timed ? 4 : 2), slots * (timed ? 7 : 5));
    for (const DeviceOrder& order : orders)
      for (const Op& op : order) {
        Task task;
        task.kind = op.kind == OpKind::forward ? TaskKind::forward : TaskKind::backward;
        task.seconds = (op.kind == OpKind::forward ? run_.forward : run_.backward)[chunk_of(op)];
        task.device = device_of_[chunk_of(op)];
        task.microbatch = op.microbatch;
        task.chunk = op.chunk;
        task.stream = Stream::compute;
        task_of(op) = builder_.add(task);
        ++operations_;
      }
  }

  static std::size_t chunk_of(const Op& op) { return static_cast<std::size_t>(op.chunk); }

  TaskId& task_of(const Op& op) {
    return (op.kind == OpKind::forward ? forwards_ : backwards_)[slot(op.chunk, op.microbatch)];
  }

  void add_device_order(const std::vector<DeviceOrder>& orders) {
    before_.assign(static_cast<std::size_t>(operations_), no_task);
    for (const DeviceOrder& order : orders)
      for (std::size_t i = 1; i < order.size(); ++i) {
        builder_.depend(task_of(order[i - 1]), task_of(order[i]));
        before_[task_of(order[i]) - base_] = task_of(order[i - 1]);
      }
  }

  void add_data_flow() {
    for (std::int64_t chunk = 0; chunk < shape_.chunks(); ++chunk)
      for (std::int64_t microbatch = 0; microbatch < shape_.microbatches; ++microbatch) {
        const TaskId forward = forwards_[slot(chunk, microbatch)];
        const TaskId backward = backwards_[slot(chunk, microbatch)];
        if (chunk > 0) connect(forwards_[slot(chunk - 1, microbatch)], forward, chunk);
        if (chunk + 1 < shape_.chunks())
          connect(backwards_[slot(chunk + 1, microbatch)], backward, chunk + 1);
        else
          builder_.depend(forward, backward);
      }
  }

  // `after` needs what `before` made, over the boundary below chunk `upper`.
  void connect(TaskId before, TaskId after, std::int64_t upper) {
    const auto boundary = static_cast<std::size_t>(upper);
    const std::int32_t source = device_of(before);
    const std::int32_t target = device_of(after);
    if (source != target) ++messages_;
    const double seconds = transfer_into_[boundary];
    if (source == target || seconds == 0.0) {
      builder_.depend(before, after);
      return;
    }
    Task task = builder_.task(after);
    task.kind = TaskKind::transfer;
    task.seconds = seconds;
    task.peer = source;
    const bool rendezvous = run_.p2p == PointToPoint::rendezvous;
    task.stream = rendezvous ? Stream::pipeline_receive : Stream::none;
    const TaskId transfer = builder_.add(task);
    builder_.depend(before, transfer);
    builder_.depend(transfer, after);
    if (rendezvous && before_[after - base_] != no_task)
      builder_.depend(before_[after - base_], transfer);
  }

  std::int32_t device_of(TaskId task) const { return builder_.task(task).device; }

  TaskGraphBuilder& builder_;
  const PipelineRun& run_;
  PipelineShape shape_;
  TaskId base_;                          // operations are the tasks from here on
  std::vector<std::int32_t> device_of_;  // by chunk
  std::vector<double> transfer_into_;    // by chunk: from the chunk before it, and back
  std::vector<TaskId> forwards_;
  std::vector<TaskId> backwards_;
  std::vector<TaskId> before_;  // the operation before, on the same device
  std::int64_t operations_ = 0;
  std::int64_t messages_ = 0;
};

}  // namespace

bool PerChunk::all_equal() const {
  return std::adjacent_find(values_.begin(), values_.end(), std::not_equal_to<>()) == values_.end();
}

double PerChunk::mean() const {
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
}

double PerChunk::largest() const {
  return *std::max_element(values_.begin(), values_.end());
}

std::size_t PerChunk::index_of_largest() const {
  return static_cast<std::size_t>(std::max_element(values_.begin(), values_.end()) -
                                  values_.begin());
}

PipelineShape shape_of(const PipelineScheduleSpec& spec, const PipelineRun& run) {
  return PipelineShape{spec.stages, spec.microbatches, spec.virtual_stages, run.group};
}

std::int64_t boundaries_of(const ScheduleInfo& schedule, const PipelineShape& shape) {
  std::int64_t count = 0;
  for (std::int64_t chunk = 1; chunk < shape.chunks(); ++chunk)
    count += schedule.device_of(shape, chunk) != schedule.device_of(shape, chunk - 1) ? 1 : 0;
  return count;
}

double task_count(const PipelineScheduleSpec& spec, const PipelineRun& run) {
  const auto chunks = static_cast<double>(spec.stages) * static_cast<double>(spec.virtual_stages);
  const auto microbatches = static_cast<double>(spec.microbatches);
  const bool timed = run.transfer.largest() > 0.0 && spec.stages > 1;
  return 2.0 * microbatches * (timed ? 2.0 * chunks - 1.0 : chunks);
}

PipelinePart add_pipeline_schedule(TaskGraphBuilder& builder, const PipelineScheduleSpec& spec,
                                   const PipelineRun& run) {
  return PipelineLowering(builder, spec, run).build();
}

Job lower_pipeline_schedule(const PipelineScheduleSpec& spec, const PipelineRun& run) {
  Job job;
  TaskGraphBuilder builder;
  PipelinePart part = add_pipeline_schedule(builder, spec, run);
  job.devices = std::move(part.devices);
  job.operations = part.operations;
  job.messages = part.messages;
  job.graph = std::move(builder).build();
  return job;
}

}  // namespace lockstep
