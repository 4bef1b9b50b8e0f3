// SPDX-License-Identifier: Apache-2.0
// The documented PipelineScheduleScenario: slots and bubble of a synchronous pipeline.
// Layer: analytic (may include platforms only).
#pragma once
#include "lockstep/analytic/prediction.hpp"
#include "lockstep/analytic/specs/pipeline_schedule.hpp"
#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// All outputs of the scenario.
///
///   slots        = 2 (m + p - 1)    forward and backward slots of a device       [1]
///   idle_slots   = 2 (p - 1)        fill and drain                                [1]
///   fill_slots   = p - 1                                                          [1]
///   phase_slots  = m + p - 1        of one pass                                   [1]
///   bubble       = (p - 1) / (V m + p - 1)                                        [1]
///   microbatches_for_bubble(t) = (p - 1) (1 - t) / (t V) for each target, not rounded [1]
///   makespan_s   = (V m + p - 1) * mean chunk time                                [s]
///
/// The slot counts are those of the noninterleaved schedule and left out when V > 1.
/// mean_chunk_time  mean over stages of forward plus backward of a chunk, >= 0 [s]
/// Returns a Prediction whose terms are the busy time and the bubble of a device.
/// Assumes: equal_stages, free_pipeline_transfers, and noninterleaved or (V > 1)
/// microbatches_divide_stages.
/// Throws: Error(input) if p, m or V is below 1.
/// Source: reference, section 2; Narayanan et al., SC'21, section 2.2.
/// Checked by: golden "pipeline_schedule", validate's matrix.
[[nodiscard]] Prediction predict_pipeline_schedule(const PipelineScheduleSpec& spec,
                                                   Seconds mean_chunk_time);

}  // namespace lockstep
