// SPDX-License-Identifier: Apache-2.0
// Binomial-tree all-reduce: closed form.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>

#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// Time of a binomial-tree all-reduce: a reduce up the tree and a broadcast down, whole messages,
/// level after level.
///
///   T = 2 k M/W + 2 k A,  k = ceil(log2 n)
///
/// n  ranks                  >= 1  [1]
/// M  message of each rank   >= 0  [byte]
/// W  rate of a hop, one way  > 0  [byte/s]
/// A  latency of a hop       >= 0  [s]
/// Returns a time >= 0; 0 when n = 1.
/// Assumes: private_links, flat_latency.
/// Throws: Error(input) outside the ranges; the reference accepts anything when n = 1, we do not.
/// Source: Thakur, Rabenseifner, Gropp 2005, section 4 (binomial tree); reference, section 1.2.
/// Checked by: golden "collectives", conformance "collectives".
[[nodiscard]] Seconds tree_all_reduce(Bytes message, std::int64_t ranks, BytesPerSecond rate,
                                      Seconds latency);

}  // namespace lockstep
