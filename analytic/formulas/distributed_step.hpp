// SPDX-License-Identifier: Apache-2.0
// The distributed solver: compute, communication and bubble of a step on a fleet.
// Layer: analytic (may include platforms only).
#pragma once
#include "lockstep/analytic/prediction.hpp"
#include "lockstep/analytic/specs/distributed_step.hpp"

namespace lockstep {

/// All outputs of the solver.
///
///   latency = replica_profile(...)                                                 [s]
///   DP = ring or hierarchical all-reduce of Mg over d ranks, * kc, / ga if ga > 1  [s]
///   TP = 4 ceil(L/p) ring(Ma, t, ...) * kc;  EP = all_to_all(Me, x, ...) * kc      [s]
///   bubble = latency b/(1-b), b = pipeline_bubble(p, m, v); 0 when p = 1           [s]
///   step = (latency + DP (1 - eta if overlapped) + TP + EP + bubble) * ks if ks > 1
///
/// Symbols and ranges: DistributedStepSpec (kc congestion, ks straggler, eta overlap_efficiency).
/// Returns a Prediction whose terms are computation, exposed data, tensor and expert communication,
/// pipeline bubble, and what the straggler adds.
/// Assumes: equal_stages, free_pipeline_transfers, tensor_collectives_once_per_step,
/// tensor_rings_at_one_rate, private_links, fixed_overlap_share, hidden_share_fits, full_nodes,
/// uniform_devices, no_jitter, global_straggler, amortised_accumulation,
/// microbatches_divide_stages.
/// Throws: Error(input) outside the ranges or when the fleet does not divide.
/// Source: reference, section 6; the questionable points of its section 7 are kept.
/// Checked by: golden "distributed_model", validate's matrix.
[[nodiscard]] Prediction predict_distributed_step(const DistributedStepSpec& spec);

}  // namespace lockstep
