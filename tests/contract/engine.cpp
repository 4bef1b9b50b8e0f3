// SPDX-License-Identifier: Apache-2.0
// The engine through its interface: known durations, order, failures. Sharing: engine_sharing.cpp.
#include "lockstep/sim/engine/engine.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/engine/isolate.hpp"
#include "lockstep/sim/engine/settings_check.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::EngineOptions;
using lockstep::ErrorKind;
using lockstep::Network;
using lockstep::Task;
using lockstep::TaskGraph;
using lockstep::TaskId;
using lockstep::TaskKind;
using lockstep::TaskTimes;
using Edges = std::vector<std::pair<TaskId, TaskId>>;
using Times = std::vector<double>;

Task lasting(double seconds) {
  Task task;
  task.seconds = seconds;
  return task;
}

Task message(lockstep::RouteId route, double latency, double bytes) {
  Task task;
  task.kind = TaskKind::message;
  task.route = route;
  task.seconds = latency;
  task.bytes = bytes;
  task.device = 0;
  task.peer = 1;
  return task;
}

Edges chain(TaskId count) {
  Edges edges;
  for (TaskId i = 0; i + 1 < count; ++i) edges.emplace_back(i, i + 1);
  return edges;
}

struct Failure {
  ErrorKind kind = ErrorKind::input;
  std::string message;
};

Failure failure_of(const TaskGraph& graph, const Network& network,
                   const EngineOptions& options = {}) {
  try {
    static_cast<void>(lockstep::simulate(graph, network, options));
  } catch (const lockstep::Error& error) {
    return {error.kind(), error.diagnostics().front().message};
  }
  return {ErrorKind::input, "no failure"};
}

/// Two messages over one exclusive route of 1 byte a second, the second started by a timer.
TaskGraph two_on_exclusive(double second_start, double latency) {
  return {{message(0, latency, 1.0), lasting(second_start), message(0, latency, 1.0)}, {{1, 2}}};
}

Network one_exclusive_route() {
  Network network;
  network.add_route({network.add_link("wire", 1.0)}, true);
  return network;
}

}  // namespace

TEST_CASE("the engine names its SimGrid") {
  CHECK(lockstep::engine_version() == "3.32");
}

TEST_CASE("an empty graph and a graph that takes no time") {
  CHECK(lockstep::simulate(TaskGraph({}, {}), Network{}).end.empty());
  const TaskTimes times =
      lockstep::simulate(TaskGraph({lasting(0.0), lasting(0.0)}, {{0, 1}}), Network{});
  CHECK(times.start == Times{0.0, 0.0});
  CHECK(times.end == Times{0.0, 0.0});
}

TEST_CASE("a diamond of known durations") {
  // As in the test of the critical path: 1, then 2 and 5 at once, then 1.
  const TaskGraph graph({lasting(1.0), lasting(2.0), lasting(5.0), lasting(1.0)},
                        {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const TaskTimes times = lockstep::simulate(graph, Network{});
  CHECK(times.start == Times{0.0, 1.0, 1.0, 6.0});
  CHECK(times.end == Times{1.0, 3.0, 6.0, 7.0});
}

TEST_CASE("runs without flows have the very bits of the critical path, whatever their scale") {
  // 400 tasks, each waiting for up to three earlier ones; durations from a fixed generator, the
  // last digits of the sums are what is tested. Durations of 0 are among them.
  const double scale = GENERATE(1e-300, 1e-9, 1.0, 1e6, 1e300);
  std::uint64_t state = 7;
  const auto draw = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 33U;
  };
  std::vector<Task> tasks;
  Edges edges;
  for (TaskId i = 0; i < 400; ++i) {
    tasks.push_back(lasting(static_cast<double>(draw() % 7U) / 3.0 * scale));
    for (int j = 0; j < 3 && i > 0; ++j) edges.emplace_back(static_cast<TaskId>(draw() % i), i);
  }
  const TaskGraph graph(std::move(tasks), std::move(edges));
  const TaskTimes expected = lockstep::critical_path(graph, Network{});
  const TaskTimes times = lockstep::simulate(graph, Network{});
  CHECK(times.start == expected.start);
  CHECK(times.end == expected.end);
}

TEST_CASE("tasks that end together, more than one timer's worth of dates") {
  // 3000 tasks of 1000 durations, three of each; all before one join.
  std::vector<Task> tasks;
  Edges edges;
  for (TaskId i = 0; i < 3000; ++i) {
    tasks.push_back(lasting(1.0 + i % 1000));
    edges.emplace_back(i, 3000);
  }
  tasks.push_back(lasting(0.0));
  const TaskTimes times = lockstep::simulate(TaskGraph(std::move(tasks), std::move(edges)), {});
  for (TaskId i = 0; i < 3000; ++i) REQUIRE(times.end[i] == 1.0 + i % 1000);
  CHECK(times.start[3000] == 1000.0);
  CHECK(times.end[3000] == 1000.0);
}

TEST_CASE("a million tasks in a chain, with and without duration") {
  const double seconds = GENERATE(0.0, 0.5);
  constexpr TaskId count = 1'000'000;
  const TaskGraph graph(std::vector<Task>(count, lasting(seconds)), chain(count));
  const TaskTimes times = lockstep::simulate(graph, Network{});
  CHECK(times.end.back() == seconds * count);
}

TEST_CASE("every run of a process starts at zero, and gives the same bits") {
  Network network;
  const auto route = network.add_route({network.add_link("a", 3.0)}, false);
  const TaskGraph graph({message(route, 0.1, 1.0), message(route, 0.2, 0.7), lasting(1.0 / 3.0)},
                        {{0, 2}});
  const TaskTimes first = lockstep::simulate(graph, network);
  for (int i = 0; i < 3; ++i) {
    const TaskTimes again = lockstep::simulate(graph, network);
    CHECK(again.start == first.start);
    CHECK(again.end == first.end);
  }
}

TEST_CASE("messages that occupy no link take their latency") {
  Network network;
  const auto wire = network.add_route({network.add_link("a", 2.0)}, false);
  const auto inside = network.add_route({}, false);
  const TaskGraph graph({message(wire, 0.25, 0.0), message(inside, 0.5, 100.0)}, {});
  CHECK(lockstep::simulate(graph, network).end == Times{0.25, 0.5});
}

TEST_CASE("a message of an exclusive route is a timer") {
  // Latency 0.25 s, then 1 byte over 1 byte/s; the second starts when the first is done.
  const TaskTimes times = lockstep::simulate(two_on_exclusive(1.25, 0.25), one_exclusive_route());
  CHECK(times.end == Times{1.25, 1.25, 2.5});
}

TEST_CASE("an exclusive route may also run as a flow, with the same answer") {
  EngineOptions options;
  options.exclusive_as_flows = true;
  const TaskTimes times =
      lockstep::simulate(two_on_exclusive(1.25, 0.25), one_exclusive_route(), options);
  CHECK(times.end == Times{1.25, 1.25, 2.5});  // all are binary fractions: exact
}

TEST_CASE("latencies alone occupy nothing") {
  // The second starts at 1 s, while the first still sends, but its bytes follow at 1.25 s.
  const TaskTimes times = lockstep::simulate(two_on_exclusive(1.0, 0.25), one_exclusive_route());
  CHECK(times.end == Times{1.25, 1.0, 2.25});
}

TEST_CASE("a route that is not as exclusive as it claims is our bug") {
  EngineOptions options;
  options.exclusive_as_flows = GENERATE(false, true);
  const Failure failure = failure_of(two_on_exclusive(0.5, 0.25), one_exclusive_route(), options);
  CHECK(failure.kind == ErrorKind::internal);
  CHECK(failure.message ==
        "message from device 0 to device 1 and message from device 0 to device 1 are under way at "
        "once on a route that was called exclusive");
}

TEST_CASE("a deadlock names who waits for whom") {
  Task forward;
  forward.kind = TaskKind::forward;
  forward.microbatch = 0;
  forward.chunk = 1;
  Task backward = forward;
  backward.kind = TaskKind::backward;
  backward.chunk = 0;
  Network network;
  const bool with_flows = GENERATE(false, true);
  std::vector<Task> tasks{forward, backward, lasting(1.0)};
  if (with_flows)
    tasks.push_back(message(network.add_route({network.add_link("a", 1.0)}, false), 0.0, 1.0));
  const Failure failure =
      failure_of(TaskGraph(std::move(tasks), {{0, 1}, {1, 0}, {1, 2}}), network);
  CHECK(failure.kind == ErrorKind::simulation);
  CHECK(failure.message ==
        "deadlock: F0 of stage 1 waits for B0 of stage 0, which waits for F0 of stage 1");
}

TEST_CASE("what makes no sense is refused before the run") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  CHECK(failure_of(TaskGraph({lasting(-1.0)}, {}), Network{}).kind == ErrorKind::internal);
  CHECK(failure_of(TaskGraph({message(-1, 0.0, -1.0)}, {}), Network{}).kind == ErrorKind::internal);
  for (const double overflowed : {nan, infinite}) {
    const Failure failure = failure_of(TaskGraph({lasting(overflowed)}, {}), Network{});
    CHECK(failure.kind == ErrorKind::input);
    CHECK_THAT(failure.message, Catch::StartsWith("the inputs overflow: the duration of step is"));
    CHECK(failure_of(TaskGraph({message(-1, 0.0, overflowed)}, {}), Network{}).kind ==
          ErrorKind::input);
    Network network;
    network.add_link("fast", overflowed);
    CHECK(failure_of(TaskGraph({lasting(1.0)}, {}), network).kind == ErrorKind::input);
  }
  CHECK(failure_of(TaskGraph({message(0, 0.0, 1.0)}, {}), Network{}).kind == ErrorKind::internal);
  CHECK(failure_of(TaskGraph({message(-2, 0.0, 1.0)}, {}), Network{}).kind == ErrorKind::internal);
  Network network;
  network.add_link("dead", 0.0);
  CHECK(failure_of(TaskGraph({lasting(1.0)}, {}), network).kind == ErrorKind::input);
  Network negative;
  negative.add_link("backward", -1.0);
  CHECK(failure_of(TaskGraph({lasting(1.0)}, {}), negative).kind == ErrorKind::internal);
}

TEST_CASE("times beyond the largest number are refused") {
  const TaskGraph graph({lasting(1e308), lasting(1e308)}, {{0, 1}});
  CHECK(failure_of(graph, Network{}).kind == ErrorKind::simulation);
  Network network;
  const auto route = network.add_route({network.add_link("slow", 1e-300)}, false);
  CHECK(failure_of(TaskGraph({message(route, 0.0, 1e300)}, {}), network).kind ==
        ErrorKind::simulation);
}

TEST_CASE("a run may stay in this process, once") {
  // In a child of our own, so that this process stays clean; both answers come back as one text.
  EngineOptions options;
  options.in_process = true;
  const TaskGraph graph({lasting(1.5), lasting(0.25)}, {{0, 1}});
  std::string answer;
  lockstep::run_isolated(
      [&](const auto& send) {
        const TaskTimes times = lockstep::simulate(graph, Network{}, options);
        const Failure second = failure_of(graph, Network{}, options);
        const std::string text = std::to_string(times.end[1]) + " " + second.message;
        send(text.data(), text.size());
      },
      [&answer](const char* data, std::size_t size) { answer.append(data, size); });
  CHECK(answer == "1.750000 a second simulation in one process");
}

TEST_CASE("the settings check accepts ours and refuses SimGrid's own") {
  CHECK_NOTHROW(lockstep::detail::check_settings(lockstep::detail::exact_settings()));
  const auto refused = [](const lockstep::detail::Settings& settings) {
    try {
      lockstep::detail::check_settings(settings);
    } catch (const lockstep::Error& error) {
      return error.kind() == ErrorKind::simulation ? std::string(error.what()) : std::string();
    }
    return std::string();
  };
  using Catch::Matchers::Contains;
  // LV08 lets a flow have 97 % of a link and multiplies latencies.
  CHECK_THAT(refused({}),
             Contains("SimGrid's settings fail the check: 1 GB over 1 GB/s after 1 ms"));
  // Cross-traffic loads the way back with 5 % of a flow.
  CHECK_THAT(refused({"network/model:CM02"}), Contains("instead of"));
  CHECK_THAT(refused({"network/model:nonsense"}), Contains("simulation process"));
}
