// SPDX-License-Identifier: Apache-2.0
// The documented DataParallelScaleOutScenario: a data-parallel job from a one-device profile.
// Layer: analytic (may include platforms only).
#pragma once
#include "lockstep/analytic/prediction.hpp"
#include "lockstep/analytic/specs/data_parallel_scale_out.hpp"

namespace lockstep {

/// All outputs of the scenario.
///
///   G = size(workload, precision)                       gradient_bytes         [byte]
///   intra_time = ring(G, g, Wi, 0)                      inside a node          [s]
///   inter_time = ring(G, n, Wx, 0) if k > 1, else 0     over all n = g k       [s]
///   update_time = s t1 + intra_time + inter_time                               [s]
///   speedup = n * s t1 / update_time                                           [1]
///   training_time = T1 / speedup                                               [s]
///   cost = training_time in hours * k * c                                      [USD]
///   global_batch = B n s                                                       [samples]
///
/// Symbols and ranges: DataParallelScaleOutSpec.
/// Returns a Prediction whose terms are computation, intra-node and inter-node communication.
/// Assumes: layered_rings, private_links, uniform_devices, no_jitter.
/// Throws: Error(input) outside the ranges or when k > 1 and Wx is absent.
/// Source: reference, section 3. Its inter-node phase is a full ring over all devices on the slow
/// link plus the intra-node ring: neither a flat nor a hierarchical all-reduce (its fault M1,
/// kept).
/// Checked by: golden "data_parallel_scale_out", validate's matrix.
[[nodiscard]] Prediction predict_data_parallel_scale_out(const DataParallelScaleOutSpec& spec);

}  // namespace lockstep
