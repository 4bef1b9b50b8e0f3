// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/timeline_of.hpp"

#include <fmt/format.h>

#include <array>

#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

constexpr std::size_t stream_count = static_cast<std::size_t>(Stream::pipeline_receive) + 1;

SliceRole role_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::forward:
      return SliceRole::forward;
    case TaskKind::backward:
      return SliceRole::backward;
    case TaskKind::backward_input:
      return SliceRole::backward_input;
    case TaskKind::backward_weight:
      return SliceRole::backward_weight;
    case TaskKind::forward_backward:
      return SliceRole::forward_backward;
    default:
      return SliceRole::other;
  }
}

// What stands in the box: short, since boxes are small.
std::string short_name(const Task& task) {
  switch (task.kind) {
    case TaskKind::forward:
      return fmt::format("F{}", task.microbatch);
    case TaskKind::backward:
      return fmt::format("B{}", task.microbatch);
    case TaskKind::backward_input:
      return fmt::format("I{}", task.microbatch);
    case TaskKind::backward_weight:
      return fmt::format("W{}", task.microbatch);
    case TaskKind::forward_backward:
      return fmt::format("F{}+B{}", task.microbatch, task.partner);
    case TaskKind::compute:
      return fmt::format("step {}", task.microbatch);
    case TaskKind::transfer:
      return fmt::format("receive {}", task.microbatch);
    case TaskKind::message:
      return "send";
    case TaskKind::collective:
      return "collective";
    case TaskKind::join:
      return "join";
  }
  return {};
}

class Drawing {
 public:
  Drawing(const Job& job, const TaskTimes& times) : graph_(job.graph), times_(times) {
    for (const std::string& device : job.devices) timeline_.processes.push_back({device});
    track_of_.assign(job.devices.size() * stream_count, -1);
  }

  Timeline draw() {
    std::vector<std::int32_t> slice_of(graph_.size(), -1);
    timeline_.slices.reserve(graph_.size());
    for (TaskId id = 0; id < graph_.size(); ++id)
      if (drawn(id)) {
        slice_of[id] = static_cast<std::int32_t>(timeline_.slices.size());
        add_slice(id);
      }
    for (TaskId id = 0; id < graph_.size(); ++id)
      if (slice_of[id] >= 0) add_arrows(id, slice_of);
    return std::move(timeline_);
  }

 private:
  bool drawn(TaskId id) const {
    return graph_.task(id).stream != Stream::none && graph_.task(id).device >= 0;
  }

  std::int32_t track(const Task& task) {
    const std::size_t key = static_cast<std::size_t>(task.device) * stream_count +
                            static_cast<std::size_t>(task.stream);
    if (track_of_[key] < 0) {
      track_of_[key] = static_cast<std::int32_t>(timeline_.tracks.size());
      timeline_.tracks.push_back({task.device, task.stream});
    }
    return track_of_[key];
  }

  void add_slice(TaskId id) {
    const Task& task = graph_.task(id);
    Slice slice;
    slice.start = times_.start[id];
    slice.end = times_.end[id];
    slice.bytes = task.bytes;
    slice.track = track(task);
    slice.name = timeline_.intern(short_name(task));
    slice.microbatch = task.microbatch;
    slice.partner = task.partner;
    slice.peer = task.peer;
    slice.stage = task.chunk;
    slice.role = role_of(task.kind);
    timeline_.slices.push_back(slice);
  }

  // An edge to a drawn task of another device is an arrow; so is the way through one undrawn
  // transfer, and the way of a message through a join to its receiver's next slice. Waiting for a
  // slice of the same device is not a message.
  void add_arrows(TaskId id, const std::vector<std::int32_t>& slice_of) {
    for (const TaskId next : graph_.successors(id)) {
      if (slice_of[next] >= 0)
        add_arrow(id, next, slice_of);
      else if (passes(id, next))
        for (const TaskId receiver : graph_.successors(next))
          if (slice_of[receiver] >= 0 && receives(id, next, receiver))
            add_arrow(id, receiver, slice_of);
    }
  }

  bool passes(TaskId from, TaskId undrawn) const {
    const TaskKind kind = graph_.task(undrawn).kind;
    return kind == TaskKind::transfer ||
           (kind == TaskKind::join && graph_.task(from).kind == TaskKind::message);
  }

  bool receives(TaskId from, TaskId undrawn, TaskId receiver) const {
    return graph_.task(undrawn).kind == TaskKind::transfer ||
           graph_.task(receiver).device == graph_.task(from).peer;
  }

  void add_arrow(TaskId from, TaskId to, const std::vector<std::int32_t>& slice_of) {
    if (graph_.task(from).device == graph_.task(to).device) return;
    timeline_.flows.push_back({slice_of[from], slice_of[to], graph_.task(from).bytes});
  }

  const TaskGraph& graph_;
  const TaskTimes& times_;
  Timeline timeline_;
  std::vector<std::int32_t> track_of_;  // by device and stream
};

}  // namespace

Timeline timeline_of(const Job& job, const TaskTimes& times) {
  LOCKSTEP_CHECK(times.start.size() == job.graph.size() && times.end.size() == job.graph.size(),
                 "a run must have one time a task");
  return Drawing(job, times).draw();
}

}  // namespace lockstep
