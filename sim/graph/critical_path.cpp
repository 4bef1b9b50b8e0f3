// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/graph/two_bit_color_map.hpp>
#include <iterator>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/graph/csr.hpp"
#include "lockstep/sim/graph/task_graph.hpp"

namespace lockstep {
namespace {

using Graph = GraphAccess::Graph;

constexpr TaskId nobody = static_cast<TaskId>(-1);

/// The component of each task, tasks of one component waiting for each other.
std::vector<TaskId> components_of(const Graph& graph) {
  const auto index = get(boost::vertex_index, graph);
  std::vector<TaskId> component(num_vertices(graph));
  boost::strong_components(graph, boost::make_iterator_property_map(component.begin(), index));
  return component;
}

/// The first task that waits for itself, directly or through others; `nobody` if there is none.
TaskId first_on_a_cycle(const TaskGraph& graph, const std::vector<TaskId>& component) {
  std::vector<TaskId> members(component.size(), 0);
  for (const TaskId id : component) ++members[id];
  for (TaskId id = 0; id < graph.size(); ++id) {
    const auto next = graph.successors(id);
    if (members[component[id]] > 1 || std::find(next.begin(), next.end(), id) != next.end())
      return id;
  }
  return nobody;
}

/// Tasks from `start` to `last` in order of waiting: each waits for the one that follows it.
std::vector<TaskId> waiting_order(TaskId start, TaskId last, const std::vector<TaskId>& parent) {
  std::vector<TaskId> cycle{start};
  for (TaskId id = last; id != start; id = parent[id]) cycle.push_back(id);
  return cycle;
}

/// Breadth first from `start`, inside its component, until an edge leads back: a shortest cycle.
std::vector<TaskId> shortest_cycle(const TaskGraph& graph, const std::vector<TaskId>& component,
                                   TaskId start) {
  std::vector<TaskId> parent(graph.size(), nobody);
  std::vector<TaskId> queue{start};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const TaskId id = queue[at];
    for (const TaskId next : graph.successors(id)) {
      if (next == start) return waiting_order(start, id, parent);
      if (component[next] != component[start] || parent[next] != nobody) continue;
      parent[next] = id;
      queue.push_back(next);
    }
  }
  return {};
}

/// Every task after all tasks that depend on it; empty when the graph has a cycle.
std::vector<TaskId> reverse_topological_order(const TaskGraph& graph) {
  const Graph& csr = GraphAccess::csr(graph);
  std::vector<TaskId> order;
  order.reserve(graph.size());
  try {
    boost::topological_sort(csr, std::back_inserter(order),
                            boost::color_map(boost::make_two_bit_color_map(
                                graph.size(), get(boost::vertex_index, csr))));
  } catch (const boost::not_a_dag&) {
    order.clear();
  }
  return order;
}

}  // namespace

namespace detail {

std::string waiting_text(const TaskGraph& graph, std::span<const TaskId> cycle) {
  constexpr std::size_t told_first = 4;
  constexpr std::size_t told_last = 3;
  const auto label = [&graph](TaskId id) { return label_of(graph.task(id)); };
  std::string text = label(cycle.front());
  const char* link = " waits for ";
  for (std::size_t at = 1; at < cycle.size(); ++at) {
    const std::size_t left_out = cycle.size() - told_first - told_last;
    if (cycle.size() > told_first + told_last + 1 && at == told_first) {
      text +=
          fmt::format(", which waits for {} more in turn, the last of which waits for ", left_out);
      at += left_out;
      text += label(cycle[at]);
      continue;
    }
    text += link + label(cycle[at]);
    link = ", which waits for ";
  }
  return text + link + label(cycle.front());
}

}  // namespace detail

std::vector<TaskId> find_cycle(const TaskGraph& graph) {
  if (graph.size() == 0) return {};
  const std::vector<TaskId> component = components_of(GraphAccess::csr(graph));
  const TaskId start = first_on_a_cycle(graph, component);
  return start == nobody ? std::vector<TaskId>{} : shortest_cycle(graph, component, start);
}

void require_acyclic(const TaskGraph& graph) {
  const std::vector<TaskId> cycle = find_cycle(graph);
  if (!cycle.empty())
    throw Error(ErrorKind::simulation, "deadlock: " + detail::waiting_text(graph, cycle));
}

double TaskTimes::last_end() const {
  double last = 0.0;
  for (const double time : end) last = std::max(last, time);
  return last;
}

double uncontended_seconds(const Task& task, const Network& network) {
  if (task.route == no_route || task.bytes <= 0.0) return task.seconds;
  return task.seconds + task.bytes / network.slowest_rate(task.route);
}

std::size_t longest_chain(const TaskGraph& graph) {
  std::vector<std::uint32_t> length(graph.size(), 1);  // from a task to the end
  std::uint32_t longest = 0;
  for (const TaskId id : reverse_topological_order(graph)) {
    for (const TaskId next : graph.successors(id))
      length[id] = std::max(length[id], length[next] + 1);
    longest = std::max(longest, length[id]);
  }
  return longest;
}

TaskTimes critical_path(const TaskGraph& graph, const Network& network) {
  const std::vector<TaskId> order = reverse_topological_order(graph);
  if (order.size() != graph.size()) require_acyclic(graph);
  TaskTimes times{std::vector<double>(graph.size(), 0.0), std::vector<double>(graph.size())};
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const double end = times.start[*id] + uncontended_seconds(graph.task(*id), network);
    times.end[*id] = end;
    for (const TaskId next : graph.successors(*id))
      times.start[next] = std::max(times.start[next], end);
  }
  return times;
}

}  // namespace lockstep
