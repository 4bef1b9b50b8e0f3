// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: a fixed generator, no standard distribution.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

namespace lockstep::testing {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// In [low, high).
  double between(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(bits() >> 11U), -53);
  }
  /// In [low, high), each order of magnitude as likely as the next. 0 < low.
  double log_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  std::vector<double> list(std::size_t count, double low, double high) {
    std::vector<double> values(count);
    for (double& value : values) value = between(low, high);
    return values;
  }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep::testing
