// SPDX-License-Identifier: Apache-2.0
// Roofline: which of computation and memory traffic bounds an operation.
// Layer: analytic (may include platforms only).
#pragma once
#include <string_view>

#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

struct Roofline {
  std::string_view label;  ///< "Compute" or "Memory"
  double intensity = 0.0;  ///< operations a byte; infinity when nothing is moved
};

/// The bound of work on a machine.
///
///   tc = O/R, tm = T/W;  "Memory" iff tm > tc; below 1e-18 s a time counts as none
///   intensity = O/T; infinity when T < 1e-15 byte and O >= 1e-15, else 0; 0 when O < 1e-15
///
/// O  operations, >= 0 [flop];  T  memory traffic, >= 0 [byte]
/// R  achieved rate, > 0 [flop/s];  W  memory bandwidth, > 0 [byte/s]
/// Returns label and intensity. Throws nothing.
/// Source: Williams, Waterman, Patterson 2009 (CACM 52:65); reference, section 1.7.
/// Checked by: golden "distributed_model" (node_profile.bottleneck), unit "formulas".
[[nodiscard]] Roofline roofline(Flops operations, Bytes traffic, FlopsPerSecond rate,
                                BytesPerSecond bandwidth);

}  // namespace lockstep
