// SPDX-License-Identifier: Apache-2.0
// The built-in validation matrix: what `lockstep validate` without a file runs.
// Layer: sim.
#pragma once
#include <memory>
#include <vector>

#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {

struct MatrixEntry {
  std::unique_ptr<Scenario> scenario;
  EngineOptions engine;
};

/// Pipelines over stages, microbatches and schedules; scale-out at the named instances and over
/// nodes, devices and accumulation; collectives at three fidelities, rings on timers and on real
/// links; the named layouts and the reference training step; distributed steps over every kind of
/// parallelism; and rows that break one assumption on purpose.
[[nodiscard]] std::vector<MatrixEntry> built_in_matrix();

}  // namespace lockstep
