// SPDX-License-Identifier: Apache-2.0
// Pipeline bubble and step: closed forms.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>

#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// Share of the step in which a device idles; GPipe and 1F1B (V = 1), interleaved (V > 1).
///
///   bubble = (p - 1) / (V m + p - 1)
///
/// p  stages          >= 1  [1]
/// m  microbatches    >= 1  [1]
/// V  virtual stages, chunks a device, >= 1  [1]
/// Returns a ratio in [0, 1).
/// Assumes: equal_stages, free_pipeline_transfers; for V > 1 microbatches_divide_stages.
/// Throws: Error(input) if p, m or V is below 1.
/// Source: Narayanan et al., SC'21, sections 2.2.1 and 2.2.2, who give the idle time over the ideal
/// time, (p-1)/(V m); this is over the whole step. Reference, section 1.5.
/// Checked by: goldens "pipeline_schedule" and "pipeline_bubble_interleaved", validate's matrix.
[[nodiscard]] double pipeline_bubble(std::int64_t stages, std::int64_t microbatches,
                                     std::int64_t virtual_stages = 1);

/// The step of a synchronous pipeline.
///
///   T = (V m + p - 1) * t
///
/// t  mean over the stages of forward plus backward of one chunk, >= 0 [s]; others as above.
/// Returns a time. Assumes and throws as pipeline_bubble.
/// Source: Narayanan et al., SC'21, section 2.2.1: t_pb + t_id with t_id = V m t, t_pb = (p-1) t.
/// Checked by: validate's matrix.
[[nodiscard]] Seconds pipeline_makespan(std::int64_t stages, std::int64_t microbatches,
                                        std::int64_t virtual_stages, Seconds mean_chunk_time);

}  // namespace lockstep
