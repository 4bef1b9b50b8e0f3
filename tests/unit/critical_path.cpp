// SPDX-License-Identifier: Apache-2.0
// The longest path through a task graph.
#include <string>
#include <utility>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/graph/task_graph.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Network;
using lockstep::Task;
using lockstep::TaskGraph;
using lockstep::TaskId;
using lockstep::TaskTimes;
using Edges = std::vector<std::pair<TaskId, TaskId>>;

TaskGraph of_durations(const std::vector<double>& seconds, Edges edges) {
  std::vector<Task> tasks;
  for (const double duration : seconds) {
    Task task;
    task.seconds = duration;
    tasks.push_back(task);
  }
  return {std::move(tasks), std::move(edges)};
}

}  // namespace

TEST_CASE("every task starts when the last before it has ended") {
  // 0 (1 s) -> 1 (2 s) -> 3, 0 -> 2 (5 s) -> 3 (1 s): the way over 2 is the longer.
  const TaskTimes times = lockstep::critical_path(
      of_durations({1.0, 2.0, 5.0, 1.0}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}), Network{});
  CHECK(times.start == std::vector<double>{0.0, 1.0, 1.0, 6.0});
  CHECK(times.end == std::vector<double>{1.0, 3.0, 6.0, 7.0});
  CHECK(times.last_end() == 7.0);
}

TEST_CASE("edges may go against the order of the tasks") {
  const TaskTimes times =
      lockstep::critical_path(of_durations({1.0, 2.0, 4.0}, {{2, 1}, {1, 0}}), Network{});
  CHECK(times.start == std::vector<double>{6.0, 4.0, 0.0});
  CHECK(times.last_end() == 7.0);
}

TEST_CASE("no tasks take no time") {
  const TaskTimes times = lockstep::critical_path(of_durations({}, {}), Network{});
  CHECK(times.start.empty());
  CHECK(times.last_end() == 0.0);
}

TEST_CASE("a message takes its latency and its bytes over the slowest link of its route") {
  Network network;
  const auto fast = network.add_link("fast", 4.0);
  const auto slow = network.add_link("slow", 2.0);
  const auto route = network.add_route({fast, slow}, false);
  const auto inside = network.add_route({}, false);
  Task task;
  task.seconds = 0.5;
  task.bytes = 3.0;
  CHECK(lockstep::uncontended_seconds(task, network) == 0.5);  // no route: a known duration
  task.route = route;
  CHECK(lockstep::uncontended_seconds(task, network) == 2.0);  // 0.5 + 3 / 2
  task.route = inside;
  CHECK(lockstep::uncontended_seconds(task, network) == 0.5);  // never leaves the device
  task.route = route;
  task.bytes = 0.0;
  CHECK(lockstep::uncontended_seconds(task, network) == 0.5);
}

TEST_CASE("messages that would share a link do not wait for each other here") {
  Network network;
  const auto route = network.add_route({network.add_link("a", 1.0)}, false);
  Task message;
  message.bytes = 1.0;
  message.route = route;
  const TaskGraph graph({message, message}, {});
  CHECK(lockstep::critical_path(graph, network).last_end() == 1.0);  // a run takes 2 s
}

TEST_CASE("a cycle is refused by name") {
  Task forward;
  forward.kind = lockstep::TaskKind::forward;
  forward.microbatch = 1;
  forward.chunk = 0;
  Task backward = forward;
  backward.kind = lockstep::TaskKind::backward;
  const TaskGraph graph({forward, backward}, {{0, 1}, {1, 0}});
  std::string message;
  try {
    static_cast<void>(lockstep::critical_path(graph, Network{}));
  } catch (const lockstep::Error& error) {
    CHECK(error.kind() == lockstep::ErrorKind::simulation);
    message = error.what();
  }
  CHECK(message ==
        "deadlock: F1 of stage 0 waits for B1 of stage 0, which waits for F1 of stage 0");
}

TEST_CASE("a chain of a million tasks does not exhaust the stack") {
  constexpr TaskId count = 1'000'000;
  Edges chain;
  for (TaskId i = 0; i + 1 < count; ++i) chain.emplace_back(i, i + 1);
  const TaskGraph graph = of_durations(std::vector<double>(count, 0.5), std::move(chain));
  CHECK(lockstep::critical_path(graph, Network{}).last_end() == 500'000.0);
}
