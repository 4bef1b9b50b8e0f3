// SPDX-License-Identifier: Apache-2.0
// Ring all-reduce: closed form.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>

#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// Time of a ring all-reduce: n-1 reduce-scatter steps and n-1 all-gather steps of M/n each.
///
///   T = 2(n-1)/n * M/W + 2(n-1) * A
///
/// n  ranks                 >= 1   [1]
/// M  message of each rank  >= 0   [byte]
/// W  rate of a hop, one way > 0   [byte/s]
/// A  latency of a hop      >= 0   [s]
/// Returns a time >= 0; 0 when n = 1.
/// Assumes: private_links, flat_latency.
/// Throws: Error(input) outside the ranges; the reference accepts anything when n = 1, we do not.
/// Source: Thakur, Rabenseifner, Gropp 2005, section 4; reference, section 1.1.
/// Checked by: golden "collectives", conformance "collectives".
[[nodiscard]] Seconds ring_all_reduce(Bytes message, std::int64_t ranks, BytesPerSecond rate,
                                      Seconds latency);

/// Bytes that each rank sends in a ring all-reduce, as a multiple of its message: 2(n-1)/n.
/// Throws: Error(input) when n < 1.
[[nodiscard]] double ring_data_factor(std::int64_t ranks);

}  // namespace lockstep
