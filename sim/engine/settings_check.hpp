// SPDX-License-Identifier: Apache-2.0
// Proof, before the first run, that SimGrid computes transfer times as lockstep believes.
// Layer: sim/engine, internal.
#pragma once
#include "lockstep/sim/engine/simgrid_platform.hpp"

namespace lockstep::detail {

/// Times four known transfers in a child process: one of 1 GB over 1 GB/s after a latency of 1 ms
/// (1.001 s), one the other way at the same time (1 s), and two, of 1 GB and 0.5 GB, that share a
/// link of 1 GB/s (1.5 s and 1 s).
///
/// Throws Error(simulation) when an answer is off by more than 1e-12 of itself.
void check_settings(const Settings& settings);

/// Checks `exact_settings()`, once a process.
void require_exact_settings();

}  // namespace lockstep::detail
