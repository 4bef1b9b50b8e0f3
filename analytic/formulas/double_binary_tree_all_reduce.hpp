// SPDX-License-Identifier: Apache-2.0
// Double-binary-tree all-reduce: closed form with fitted constants.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>

#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// Time of NCCL's double-binary-tree all-reduce.
///
///   T = 1.2 * 2 l A + 1.05 * 2(n-1)/n * M/W,  l = log2 n, not rounded
///
/// n  ranks                  >= 1  [1]
/// M  message of each rank   >= 0  [byte]
/// W  rate of a hop, one way  > 0  [byte/s]
/// A  latency of a hop       >= 0  [s]
/// Returns a time >= 0; 0 when n = 1.
/// Assumes: private_links, flat_latency, fitted_constants (1.2 and 1.05).
/// Throws: Error(input) outside the ranges; the reference takes a negative message, and anything
/// when n = 1.
/// Source: reference, section 1.2; the algorithm: Sanders, Speck, Traeff 2009.
/// Checked by: golden "collectives".
[[nodiscard]] Seconds double_binary_tree_all_reduce(Bytes message, std::int64_t ranks,
                                                    BytesPerSecond rate, Seconds latency);

}  // namespace lockstep
