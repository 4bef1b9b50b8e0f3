// SPDX-License-Identifier: Apache-2.0
// Pairwise all-to-all: closed form.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>

#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// Time of a pairwise all-to-all: n-1 steps in which every rank sends one n-th of its message.
///
///   T = (n-1)/n * M/W + (n-1) * A
///
/// n  ranks                  >= 1  [1]
/// M  message of each rank   >= 0  [byte]
/// W  rate of a hop, one way  > 0  [byte/s]
/// A  latency of a hop       >= 0  [s]
/// Returns a time >= 0; 0 when n = 1.
/// Assumes: private_links, flat_latency.
/// Throws: Error(input) outside the ranges.
/// Source: Thakur, Rabenseifner, Gropp 2005, section 4.3 (pairwise exchange); reference, 1.3.
/// Checked by: golden "collectives", conformance "collectives".
[[nodiscard]] Seconds all_to_all(Bytes message, std::int64_t ranks, BytesPerSecond rate,
                                 Seconds latency);

}  // namespace lockstep
