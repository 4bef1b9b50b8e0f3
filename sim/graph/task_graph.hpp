// SPDX-License-Identifier: Apache-2.0
// The task graph: what has to be done, on which device, after what. The only thing the critical
// path and the simulation read.
// Layer: sim/graph (platforms and traces; Boost.Graph in the .cpp only).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/platforms/network.hpp"
#include "lockstep/traces/timeline.hpp"

namespace lockstep {

using TaskId = std::uint32_t;

enum class TaskKind : std::uint8_t {
  forward,           ///< forward pass of a microbatch through a chunk
  backward,          ///< its whole backward pass
  backward_input,    ///< gradient with respect to the input only
  backward_weight,   ///< gradient with respect to the weights only
  forward_backward,  ///< an overlapped pair
  compute,           ///< a whole local step (forward and backward of one batch)
  transfer,          ///< activations or gradients over a pipeline boundary
  message,           ///< one message of a collective
  collective,        ///< a collective as one task of its closed-form duration
  join,              ///< takes no time: all before, then all after
};

/// "forward", "transfer", ...
[[nodiscard]] const char* name_of(TaskKind kind);

inline constexpr RouteId no_route = -1;

/// One operation or message; 48 bytes, because there can be millions.
struct Task {
  double seconds = 0.0;      ///< duration; of a message over a route: its latency; >= 0
  double bytes = 0.0;        ///< of a message over a route, >= 0, may be fractional; else 0
  RouteId route = no_route;  ///< index into the run's Network; no_route: a known duration
  std::int32_t device = -1;  ///< where it runs (of a message: where it is drawn); -1: nowhere
  std::int32_t peer = -1;    ///< device at the other end of a message; -1: none
  std::int32_t microbatch = -1;
  std::int32_t partner = -1;  ///< microbatch of the backward half of forward_backward
  std::int32_t chunk = -1;    ///< model chunk, in model order; the stage when not interleaved
  TaskKind kind = TaskKind::compute;
  Stream stream = Stream::none;  ///< the track of `device` it is drawn on
};

/// "F3 of stage 1", "transfer of microbatch 2 to stage 3": how a task is named to a person.
[[nodiscard]] std::string label_of(const Task& task);

/// An immutable directed graph of tasks (compressed sparse rows, Boost.Graph inside). May be cyclic
/// until `find_cycle` or `critical_path` has looked.
class TaskGraph {
 public:
  TaskGraph(std::vector<Task> tasks, std::vector<std::pair<TaskId, TaskId>> edges);
  ~TaskGraph();
  TaskGraph(TaskGraph&&) noexcept;
  TaskGraph& operator=(TaskGraph&&) noexcept;
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] const Task& task(TaskId id) const { return tasks_[id]; }
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }
  /// Tests corrupt a task with this to prove that the cross-check notices.
  [[nodiscard]] Task& mutable_task(TaskId id) { return tasks_[id]; }
  [[nodiscard]] std::size_t edge_count() const;
  [[nodiscard]] std::span<const TaskId> successors(TaskId id) const;
  [[nodiscard]] std::vector<std::uint32_t> in_degrees() const;

 private:
  friend struct GraphAccess;
  struct Csr;
  std::vector<Task> tasks_;
  std::unique_ptr<Csr> csr_;
};

/// Collects tasks and edges; `build` seals them.
class TaskGraphBuilder {
 public:
  void reserve(std::size_t tasks, std::size_t edges);
  TaskId add(const Task& task);
  void depend(TaskId before, TaskId after) { edges_.emplace_back(before, after); }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] const Task& task(TaskId id) const { return tasks_[id]; }
  [[nodiscard]] TaskGraph build() &&;

 private:
  std::vector<Task> tasks_;
  std::vector<std::pair<TaskId, TaskId>> edges_;
};

/// Tasks that wait for each other in a circle, in order of waiting; empty when there is none.
/// Returns a shortest cycle through the first one found.
[[nodiscard]] std::vector<TaskId> find_cycle(const TaskGraph& graph);

/// Throws Error(simulation) that names the tasks of a cycle, each waiting for the next.
void require_acyclic(const TaskGraph& graph);

/// Start and end of every task, s.
struct TaskTimes {
  std::vector<double> start;
  std::vector<double> end;
  [[nodiscard]] double last_end() const;
};

/// The longest path: every task starts when all before it have ended, nothing is shared.
///
///   end(t) = max over tasks b before t of end(b) + duration(t)
///   duration of a message = latency + bytes / slowest link of its route
///
/// Throws Error(simulation) naming a cycle. Not modelled: contention; a lower bound of the run.
[[nodiscard]] TaskTimes critical_path(const TaskGraph& graph, const Network& network);

/// The most tasks on any path: how many roundings a time may have gone through. 0 when cyclic.
[[nodiscard]] std::size_t longest_chain(const TaskGraph& graph);

/// Duration of a task on an otherwise idle network, s.
[[nodiscard]] double uncontended_seconds(const Task& task, const Network& network);

}  // namespace lockstep
