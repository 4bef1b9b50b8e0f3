// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/graph/task_graph.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/graph/csr.hpp"

namespace lockstep {
namespace {

std::string place_of(const Task& task) {
  if (task.chunk >= 0) return fmt::format(" of stage {}", task.chunk);
  if (task.device >= 0) return fmt::format(" of device {}", task.device);
  return {};
}

std::string number_of(std::int32_t microbatch) {
  return microbatch >= 0 ? std::to_string(microbatch) : std::string();
}

std::string transfer_label(const Task& task) {
  std::string text = "transfer";
  if (task.microbatch >= 0) text += fmt::format(" of microbatch {}", task.microbatch);
  if (task.chunk >= 0)
    text += fmt::format(" to stage {}", task.chunk);
  else if (task.peer >= 0)
    text += fmt::format(" to device {}", task.peer);
  return text;
}

std::string message_label(const Task& task) {
  std::string text = "message";
  if (task.device >= 0) text += fmt::format(" from device {}", task.device);
  if (task.peer >= 0) text += fmt::format(" to device {}", task.peer);
  return text;
}

std::string step_label(const Task& task) {
  std::string text = "step";
  if (task.microbatch >= 0) text += fmt::format(" {}", task.microbatch);
  if (task.device >= 0) return text + fmt::format(" of device {}", task.device);
  return text + place_of(task);
}

}  // namespace

const char* name_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::forward:
      return "forward";
    case TaskKind::backward:
      return "backward";
    case TaskKind::backward_input:
      return "backward_input";
    case TaskKind::backward_weight:
      return "backward_weight";
    case TaskKind::forward_backward:
      return "forward_backward";
    case TaskKind::compute:
      return "compute";
    case TaskKind::transfer:
      return "transfer";
    case TaskKind::message:
      return "message";
    case TaskKind::collective:
      return "collective";
    case TaskKind::join:
      return "join";
  }
  return "unknown";
}

std::string label_of(const Task& task) {
  switch (task.kind) {
    case TaskKind::forward:
      return "F" + number_of(task.microbatch) + place_of(task);
    case TaskKind::backward:
      return "B" + number_of(task.microbatch) + place_of(task);
    case TaskKind::backward_input:
      return "I" + number_of(task.microbatch) + place_of(task);
    case TaskKind::backward_weight:
      return "W" + number_of(task.microbatch) + place_of(task);
    case TaskKind::forward_backward:
      return "F" + number_of(task.microbatch) + "+B" + number_of(task.partner) + place_of(task);
    case TaskKind::compute:
      return step_label(task);
    case TaskKind::transfer:
      return transfer_label(task);
    case TaskKind::message:
      return message_label(task);
    case TaskKind::collective:
      return "collective";
    case TaskKind::join:
      return "join";
  }
  return "task";
}

TaskGraph::TaskGraph(std::vector<Task> tasks, std::vector<std::pair<TaskId, TaskId>> edges)
    : tasks_(std::move(tasks)) {
  constexpr auto most = std::numeric_limits<TaskId>::max();
  LOCKSTEP_CHECK(tasks_.size() < most && edges.size() < most, "the task graph is too large");
  for (const auto& [before, after] : edges)
    LOCKSTEP_CHECK(before < tasks_.size() && after < tasks_.size(),
                   "an edge names a task that does not exist");
  // Boost's counting sort keeps the order of insertion for each source.
  csr_ = std::make_unique<Csr>(
      Csr{Csr::Graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                     static_cast<std::uint32_t>(tasks_.size()))});
  std::vector<std::pair<TaskId, TaskId>>().swap(edges);  // the caller's copy would outlive us
}

TaskGraph::~TaskGraph() = default;
TaskGraph::TaskGraph(TaskGraph&&) noexcept = default;
TaskGraph& TaskGraph::operator=(TaskGraph&&) noexcept = default;

std::size_t TaskGraph::edge_count() const {
  return csr_->graph.m_forward.m_column.size();
}

std::span<const TaskId> TaskGraph::successors(TaskId id) const {
  const auto& rows = csr_->graph.m_forward;
  const std::size_t first = rows.m_rowstart[id];
  return {rows.m_column.data() + first, rows.m_rowstart[id + std::size_t{1}] - first};
}

std::vector<std::uint32_t> TaskGraph::in_degrees() const {
  std::vector<std::uint32_t> degrees(size(), 0);
  for (const TaskId after : csr_->graph.m_forward.m_column) ++degrees[after];
  return degrees;
}

void TaskGraphBuilder::reserve(std::size_t tasks, std::size_t edges) {
  tasks_.reserve(tasks);
  edges_.reserve(edges);
}

TaskId TaskGraphBuilder::add(const Task& task) {
  tasks_.push_back(task);
  return static_cast<TaskId>(tasks_.size() - 1);
}

TaskGraph TaskGraphBuilder::build() && {
  return {std::move(tasks_), std::move(edges_)};
}

}  // namespace lockstep
