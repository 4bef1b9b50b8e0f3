// SPDX-License-Identifier: Apache-2.0
// The discrete-event simulation of a task graph. SimGrid stays behind this header.
// Layer: sim/engine (sim/graph, platforms; SimGrid in the .cpp files only).
#pragma once
#include <string>

#include "lockstep/platforms/network.hpp"
#include "lockstep/sim/graph/task_graph.hpp"

namespace lockstep {

struct EngineOptions {
  /// Run messages of exclusive routes as flows on real links too, where timers would do.
  bool exclusive_as_flows = false;
  /// Run in this process instead of a child: for debuggers only, and once a process.
  bool in_process = false;
};

/// Runs the graph on the network: a task starts when all before it have ended; tasks of known
/// duration take it; messages pay their latency, then share the links of their route max-min
/// fairly.
///
/// Returns start and end of every task, s, good to about 1e-14 of the makespan.
/// Throws Error(simulation) when tasks wait for each other (names them), the engine dies (gives its
/// words) or its settings fail the check; Error(input) naming a task or link whose duration, size
/// or rate has overflowed; Error(internal) when an exclusive route was not. Deterministic: same
/// graph, same bits. Source: sharing is SimGrid's CM02 model with latencies paid apart (see
/// engine/README.md).
[[nodiscard]] TaskTimes simulate(const TaskGraph& graph, const Network& network,
                                 const EngineOptions& options = {});

/// "3.32": the SimGrid that simulates.
[[nodiscard]] std::string engine_version();

}  // namespace lockstep
