// SPDX-License-Identifier: Apache-2.0
// The documented ReferenceTrainingStepScenario: one optimizer step of a reference pretraining job.
// Layer: analytic (may include platforms only).
#pragma once
#include "lockstep/analytic/prediction.hpp"
#include "lockstep/analytic/specs/reference_training_step.hpp"

namespace lockstep {

/// All outputs of the scenario.
///
///   dp = N // replica_gpus;  S = (int(D / c) // q_d) q_d;  m = S // (dp u)
///   result = distributed_step(tp, pp of the replica, batch S, m microbatches, sequence c)
///   step_time = result.step_latency_total                                           [s]
///   state_per_gpu = P q / replica_gpus                                              [byte]
///
/// Symbols and ranges: ReferenceTrainingStepSpec; N accelerators of the fleet, c context length.
/// Returns the Prediction of the solver with the scenario's own outputs before its.
/// Assumes: those of distributed_step, and whole_microbatches.
/// Throws: Error(input) as distributed_step.
/// Source: reference, section 5.2; the binding of solver arguments is assumed there. Partial
/// replicas are discarded, as the page says, with a warning; the solver alone would refuse the
/// fleet.
/// Checked by: golden "reference_training_step", validate's matrix.
[[nodiscard]] Prediction predict_reference_training_step(const ReferenceTrainingStepSpec& spec);

}  // namespace lockstep
