// SPDX-License-Identifier: Apache-2.0
// A tensor x pipeline x data layout becomes a task graph.
// Layer: sim/lower.
#pragma once
#include "lockstep/analytic/specs/parallel_layout.hpp"
#include "lockstep/sim/lower/job.hpp"

namespace lockstep {

/// The layout's step: p stages, m combined forward-and-backward slots of window/m each, in order.
/// A message of o * 2 shard bytes starts with the last stage's first slot; a message of
/// (1-o) * 2 shard follows when both it and the computation have ended: what of the first hides
/// under computation is a result of the run. Both use the last stage's own link, at dp 1 too. Two
/// shards in one message, not a ring: `large_ring_factor`. One replica stands for all.
[[nodiscard]] Job lower_parallel_layout(const ParallelLayoutSpec& spec);
[[nodiscard]] double task_count(const ParallelLayoutSpec& spec);

}  // namespace lockstep
