// SPDX-License-Identifier: Apache-2.0
// The documented ParallelLayoutScenario: a tensor x pipeline x data layout.
// Layer: analytic (may include platforms only).
#pragma once
#include "lockstep/analytic/prediction.hpp"
#include "lockstep/analytic/specs/parallel_layout.hpp"

namespace lockstep {

/// All outputs of the scenario.
///
///   compute = round_to(f P D / (t p d peak e), R)                                    [s]
///   shard = G/(t p);  ring_bytes = 2(d-1)/d shard                                    [byte]
///   allreduce = 2 shard / W (whatever d)                                             [s]
///   hidden = min(o allreduce, compute);  exposed = allreduce - hidden                [s]
///   step = compute / (1 - bubble(p, m)) + exposed                                    [s]
///   efficiency = compute / step;  fleet_mfu = e efficiency                           [1]
///   state_total = 16 P;  zero1 = 4 P/(t p) + 12 P/(t p d)                            [byte]
///   min_devices_for_state = ceil(state_total / Cd)                                   [1]
///
/// Symbols and ranges: ParallelLayoutSpec.
/// Returns a Prediction whose terms are computation, bubble and exposed all-reduce.
/// Assumes: large_ring_factor, fixed_overlap_share, rounded_window, equal_stages,
/// free_pipeline_transfers.
/// Throws: Error(input) outside the ranges or when the accelerator lacks the precision.
/// Source: reference, section 4; its all-reduce is not 0 at d = 1 and twice too long at d = 2 (its
/// fault M2, kept).
/// Checked by: golden "parallel_layout", validate's matrix.
[[nodiscard]] Prediction predict_parallel_layout(const ParallelLayoutSpec& spec);

}  // namespace lockstep
