// SPDX-License-Identifier: Apache-2.0
// What a scenario becomes before it runs: devices, links and the task graph.
// Layer: sim/lower (platforms, traces, analytic/specs, sim/graph, sim/schedules, sim/collectives;
// never a closed form).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/platforms/network.hpp"
#include "lockstep/sim/collectives/fidelity.hpp"
#include "lockstep/sim/graph/task_graph.hpp"

namespace lockstep {

struct Job {
  std::vector<std::string> devices;  ///< names; tasks refer to them by index
  Network network;
  TaskGraph graph{{}, {}};
  std::int64_t operations = 0;   ///< computations
  std::int64_t messages = 0;     ///< sent between devices, free ones included
  bool by_construction = false;  ///< rests on a closed form
  bool contended = false;        ///< some links may be shared: the critical path is a lower bound
};

/// Tasks beyond this are not simulated; `--max-tasks` changes it. 4 Mi tasks need 1 to 4 GB.
inline constexpr double default_task_limit = 4'194'304.0;

}  // namespace lockstep
