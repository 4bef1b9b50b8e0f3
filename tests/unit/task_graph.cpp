// SPDX-License-Identifier: Apache-2.0
// The task graph: storage, order of successors, names of tasks, cycles.
#include "lockstep/sim/graph/task_graph.hpp"

#include <string>
#include <utility>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Task;
using lockstep::TaskGraph;
using lockstep::TaskGraphBuilder;
using lockstep::TaskId;
using lockstep::TaskKind;
using Edges = std::vector<std::pair<TaskId, TaskId>>;

/// Forwards F0, F1, ... of stage 0 with these edges, each (before, after).
TaskGraph forwards(int count, Edges edges) {
  std::vector<Task> tasks;
  for (int i = 0; i < count; ++i) {
    Task task;
    task.kind = TaskKind::forward;
    task.chunk = 0;
    task.microbatch = i;
    tasks.push_back(task);
  }
  return {std::move(tasks), std::move(edges)};
}

std::vector<TaskId> next_of(const TaskGraph& graph, TaskId id) {
  const auto next = graph.successors(id);
  return {next.begin(), next.end()};
}

/// The message of the deadlock error; "" when the graph has no cycle.
std::string deadlock_of(const TaskGraph& graph) {
  try {
    lockstep::require_acyclic(graph);
  } catch (const lockstep::Error& error) {
    CHECK(error.kind() == lockstep::ErrorKind::simulation);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a task is small, because there can be millions") {
  CHECK(sizeof(Task) <= 48);
}

TEST_CASE("successors keep the order in which the edges were given") {
  const TaskGraph graph = forwards(5, {{3, 1}, {0, 4}, {0, 2}, {3, 0}, {0, 1}, {3, 2}, {0, 2}});
  CHECK(graph.size() == 5);
  CHECK(graph.edge_count() == 7);
  CHECK(next_of(graph, 0) == std::vector<TaskId>{4, 2, 1, 2});
  CHECK(next_of(graph, 1).empty());
  CHECK(next_of(graph, 3) == std::vector<TaskId>{1, 0, 2});
  CHECK(next_of(graph, 4).empty());
  CHECK(graph.in_degrees() == std::vector<std::uint32_t>{1, 2, 3, 0, 1});
}

TEST_CASE("graphs without edges and without tasks") {
  CHECK(forwards(0, {}).size() == 0);
  CHECK(forwards(0, {}).in_degrees().empty());
  CHECK(lockstep::find_cycle(forwards(0, {})).empty());
  CHECK(forwards(2, {}).edge_count() == 0);
  CHECK(next_of(forwards(2, {}), 1).empty());
}

TEST_CASE("a graph can be moved and its tasks changed") {
  TaskGraph graph = forwards(2, {{0, 1}});
  graph.mutable_task(1).seconds = 2.5;
  TaskGraph moved = std::move(graph);
  CHECK(moved.task(1).seconds == 2.5);
  CHECK(next_of(moved, 0) == std::vector<TaskId>{1});
  moved = forwards(1, {});
  CHECK(moved.size() == 1);
}

TEST_CASE("an edge to a task that does not exist is a bug") {
  CHECK_THROWS_AS(forwards(2, {{0, 2}}), lockstep::Error);
  CHECK_THROWS_AS(forwards(2, {{2, 0}}), lockstep::Error);
}

TEST_CASE("the builder numbers tasks in order and seals them") {
  TaskGraphBuilder builder;
  builder.reserve(2, 1);
  const TaskId first = builder.add(Task{});
  const TaskId second = builder.add(Task{});
  builder.depend(first, second);
  CHECK(builder.size() == 2);
  const TaskGraph graph = std::move(builder).build();
  CHECK(first == 0);
  CHECK(next_of(graph, first) == std::vector<TaskId>{second});
}

TEST_CASE("tasks are named as a person would name them") {
  Task task;
  task.chunk = 1;
  task.device = 7;
  task.microbatch = 3;
  const auto named = [&task](TaskKind kind) {
    task.kind = kind;
    return lockstep::label_of(task);
  };
  CHECK(named(TaskKind::forward) == "F3 of stage 1");
  CHECK(named(TaskKind::backward) == "B3 of stage 1");
  CHECK(named(TaskKind::backward_input) == "I3 of stage 1");
  CHECK(named(TaskKind::backward_weight) == "W3 of stage 1");
  CHECK(named(TaskKind::transfer) == "transfer of microbatch 3 to stage 1");
  CHECK(named(TaskKind::compute) == "step 3 of device 7");
  CHECK(named(TaskKind::collective) == "collective");
  CHECK(named(TaskKind::join) == "join");
  task.partner = 2;
  CHECK(named(TaskKind::forward_backward) == "F3+B2 of stage 1");
  task.peer = 4;
  CHECK(named(TaskKind::message) == "message from device 7 to device 4");
}

TEST_CASE("a task of which little is known has a name too") {
  const auto named = [](TaskKind kind) {
    Task task;
    task.kind = kind;
    return lockstep::label_of(task);
  };
  CHECK(named(TaskKind::forward) == "F");
  CHECK(named(TaskKind::compute) == "step");
  CHECK(named(TaskKind::transfer) == "transfer");
  CHECK(named(TaskKind::message) == "message");
  CHECK(std::string(lockstep::name_of(TaskKind::backward_input)) == "backward_input");
}

TEST_CASE("a cycle is told in order of waiting") {
  // 0 -> 1 -> 2 -> 0: F0 starts after F2, that after F1, that after F0.
  const TaskGraph graph = forwards(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}});
  CHECK(lockstep::find_cycle(graph) == std::vector<TaskId>{0, 2, 1});
  CHECK(deadlock_of(graph) ==
        "deadlock: F0 of stage 0 waits for F2 of stage 0, which waits for F1 of stage 0, which "
        "waits for F0 of stage 0");
}

TEST_CASE("tasks before and behind a cycle are not part of it") {
  // 0 -> 1 -> {2 <-> 3} -> 4 -> 5
  const TaskGraph graph = forwards(6, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 5}});
  CHECK(lockstep::find_cycle(graph) == std::vector<TaskId>{2, 3});
}

TEST_CASE("of two ways round the shorter is told") {
  // 0 -> 1 -> 2 -> 3 -> 0 and the short cut 1 -> 3.
  const TaskGraph graph = forwards(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 3}});
  CHECK(lockstep::find_cycle(graph) == std::vector<TaskId>{0, 3, 1});
}

TEST_CASE("a task that waits for itself") {
  const TaskGraph graph = forwards(2, {{0, 1}, {1, 1}});
  CHECK(lockstep::find_cycle(graph) == std::vector<TaskId>{1});
  CHECK(deadlock_of(graph) == "deadlock: F1 of stage 0 waits for F1 of stage 0");
}

TEST_CASE("the middle of a long cycle is counted, not told") {
  Edges ring;
  for (TaskId i = 0; i < 100; ++i) ring.emplace_back(i, (i + 1) % 100);
  // Told: the first four and the last three; 100 - 7 = 93 are left out.
  CHECK(deadlock_of(forwards(100, ring)) ==
        "deadlock: F0 of stage 0 waits for F99 of stage 0, which waits for F98 of stage 0, which "
        "waits for F97 of stage 0, which waits for 93 more in turn, the last of which waits for F3 "
        "of stage 0, which waits for F2 of stage 0, which waits for F1 of stage 0, which waits for "
        "F0 of stage 0");
}

TEST_CASE("no cycle, no complaint") {
  CHECK(lockstep::find_cycle(forwards(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})).empty());
  CHECK(deadlock_of(forwards(3, {{2, 1}, {1, 0}})).empty());
}

TEST_CASE("a cycle through a million tasks does not exhaust the stack") {
  constexpr TaskId count = 1'000'000;
  Edges ring;
  for (TaskId i = 0; i < count; ++i) ring.emplace_back(i, (i + 1) % count);
  CHECK(lockstep::find_cycle(forwards(count, std::move(ring))).size() == count);
}
