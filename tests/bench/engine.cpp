// SPDX-License-Identifier: Apache-2.0
// The engine against a bare binary-heap loop over the same built graph: a 1F1B pipeline of 64
// stages and 4096 microbatches, 524,288 operations, with equal and with jittered durations.
// Layer: tests.
#include "lockstep/sim/engine/engine.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "lockstep/sim/graph/task_graph.hpp"

namespace {

using lockstep::TaskGraph;
using lockstep::TaskId;
using lockstep::TaskKind;
using lockstep::TaskTimes;

constexpr int stages = 64;
constexpr int microbatches = 4096;

/// Factors in [1, 1.25) from a linear congruential generator with a fixed seed (Knuth's MMIX).
class Jitter {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return 1.0 + 0.25 * std::ldexp(static_cast<double>(state_ >> 11U), -53);
  }

 private:
  std::uint64_t state_ = 20240607;
};

TaskId id_of(int stage, int microbatch, bool backward) {
  return static_cast<TaskId>((stage * microbatches + microbatch) * 2 + (backward ? 1 : 0));
}

/// Every device in 1F1B order: p - 1 - s forwards ahead, then one forward and one backward in turn.
void add_device_order(lockstep::TaskGraphBuilder& builder, int stage) {
  const int ahead = std::min(stages - 1 - stage, microbatches);
  std::vector<TaskId> order;
  for (int i = 0; i < ahead; ++i) order.push_back(id_of(stage, i, false));
  for (int i = 0; i < microbatches; ++i) {
    if (i + ahead < microbatches) order.push_back(id_of(stage, i + ahead, false));
    order.push_back(id_of(stage, i, true));
  }
  for (std::size_t i = 1; i < order.size(); ++i) builder.depend(order[i - 1], order[i]);
}

TaskGraph pipeline(bool jittered) {
  Jitter jitter;
  lockstep::TaskGraphBuilder builder;
  builder.reserve(std::size_t{2} * stages * microbatches, std::size_t{4} * stages * microbatches);
  for (int stage = 0; stage < stages; ++stage)
    for (int i = 0; i < microbatches; ++i)
      for (const bool backward : {false, true}) {
        lockstep::Task task;
        task.kind = backward ? TaskKind::backward : TaskKind::forward;
        task.seconds = (backward ? 2.0 : 1.0) * (jittered ? jitter.next() : 1.0);
        task.device = stage;
        task.microbatch = i;
        builder.add(task);
      }
  for (int stage = 0; stage < stages; ++stage) {
    add_device_order(builder, stage);
    for (int i = 0; i + 1 <= microbatches && stage + 1 < stages; ++i) {
      builder.depend(id_of(stage, i, false), id_of(stage + 1, i, false));
      builder.depend(id_of(stage + 1, i, true), id_of(stage, i, true));
    }
  }
  return std::move(builder).build();
}

/// What one would write in place of an engine when nothing can ever contend.
TaskTimes bare_loop(const TaskGraph& graph) {
  using Event = std::pair<double, TaskId>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<std::uint32_t> waiting = graph.in_degrees();
  TaskTimes times{std::vector<double>(graph.size()), std::vector<double>(graph.size())};
  const auto start = [&](TaskId id, double now) {
    times.start[id] = now;
    times.end[id] = now + graph.task(id).seconds;
    events.emplace(times.end[id], id);
  };
  for (TaskId id = 0; id < graph.size(); ++id)
    if (waiting[id] == 0) start(id, 0.0);
  while (!events.empty()) {
    const auto [now, id] = events.top();
    events.pop();
    for (const TaskId next : graph.successors(id))
      if (--waiting[next] == 0) start(next, now);
  }
  return times;
}

double seconds_of(const auto& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs both in turn and reports the ratio of the best of each, which other load disturbs least.
void compare(benchmark::State& state, bool jittered) {
  const TaskGraph graph = pipeline(jittered);
  const lockstep::Network network;
  double bare = std::numeric_limits<double>::infinity();
  double engine = bare;
  for (auto _ : state) {
    TaskTimes bare_times;
    TaskTimes engine_times;
    bare = std::min(bare, seconds_of([&] { bare_times = bare_loop(graph); }));
    const double taken = seconds_of([&] { engine_times = lockstep::simulate(graph, network); });
    engine = std::min(engine, taken);
    state.SetIterationTime(taken);
    if (bare_times.end != engine_times.end || bare_times.start != engine_times.start)
      state.SkipWithError("the engine and the bare loop disagree");
  }
  state.counters["bare_ms"] = bare * 1e3;
  state.counters["engine_ms"] = engine * 1e3;
  state.counters["ratio"] = engine / bare;
}

BENCHMARK_CAPTURE(compare, equal_durations, false)
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, jittered_durations, true)
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
