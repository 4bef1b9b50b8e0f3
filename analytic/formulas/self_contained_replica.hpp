// SPDX-License-Identifier: Apache-2.0
// The documented SelfContainedReplicaScenario: tensor parallel over a node, pipeline until it fits.
// Layer: analytic (may include platforms only).
#pragma once
#include "lockstep/analytic/prediction.hpp"
#include "lockstep/analytic/specs/self_contained_replica.hpp"

namespace lockstep {

/// All outputs of the scenario.
///
///   tensor_parallel = accelerators a node                                [1]
///   pipeline_depth = smallest 2^i with P q / (tensor_parallel 2^i) <= C  [1]
///   replica_gpus = tensor_parallel * pipeline_depth                      [1]
///
/// P  parameters, in the unit they were entered in (trap T3);  q  bytes a parameter, > 0 [byte]
/// C  memory of an accelerator, > 0 [byte]
/// Returns a Prediction without terms: there is no step.
/// Throws: Error(input) when no depth up to 2^40 fits.
/// Source: reference, section 5.1. The depth may exceed the layers or the fleet.
/// Checked by: golden "self_contained_replica".
[[nodiscard]] Prediction predict_self_contained_replica(const SelfContainedReplicaSpec& spec);

}  // namespace lockstep
