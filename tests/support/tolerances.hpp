// SPDX-License-Identifier: Apache-2.0
// How closely two answers must agree: the one place that says so.
#pragma once
#include <algorithm>
#include <cmath>

namespace lockstep::tolerance {

/// The same quantity by two ways of writing it: a few roundings apart.
inline constexpr double exact = 1e-12;
/// Critical path against closed form: sums of up to some 1e5 rounded terms.
inline constexpr double critical_path = 1e-9;
/// Simulation against closed form or critical path: the engine is good to about 1e-14.
inline constexpr double simulation = 1e-9;
/// Against numbers of the reference, printed with 17 digits.
inline constexpr double golden = 1e-9;

/// |a - b| over the larger of the two; 0 for equal ones, zeros included.
[[nodiscard]] inline double difference(double a, double b) {
  if (a == b) return 0.0;
  return std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

/// Equal within a relative tolerance. Not-a-number equals nothing; 0 equals 0 only.
[[nodiscard]] inline bool equal(double a, double b, double relative) {
  return difference(a, b) <= relative;
}

}  // namespace lockstep::tolerance
