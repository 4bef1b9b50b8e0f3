// SPDX-License-Identifier: Apache-2.0
// Hierarchical all-reduce: closed form.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>

#include "lockstep/analytic/specs/collective.hpp"
#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// Time of a hierarchical all-reduce: reduce-scatter inside each node, a ring across nodes on each
/// 1/g chunk, all-gather inside.
///
///   T = 2 [ (g-1)/g * M/Wi + (g-1) Ai ] + ring(M/g, k, Wx, Ax)
///
/// g       ranks a node, >= 1                [1]
/// k       nodes, >= 1                       [1]
/// M       message of each rank, >= 0        [byte]
/// Wi, Ai  rate and latency inside a node    [byte/s], [s]
/// Wx, Ax  rate and latency between nodes    [byte/s], [s]
/// Returns a time >= 0. k = 1 drops the ring.
/// Assumes: private_links, flat_latency, full_nodes.
/// Throws: Error(input) outside the ranges.
/// Source: reference, section 1.4; Jia et al. 2018 (arXiv:1807.11205), section 3.3.
/// Checked by: golden "collectives", conformance "collectives".
[[nodiscard]] Seconds hierarchical_all_reduce(Bytes message, std::int64_t nodes,
                                              std::int64_t per_node, LinkClass intra,
                                              LinkClass inter);

}  // namespace lockstep
