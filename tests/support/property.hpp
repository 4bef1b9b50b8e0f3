// SPDX-License-Identifier: Apache-2.0
// Properties over random cases: counted, so that the run says how many there were.
#pragma once
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/tests/support/catch.hpp"

namespace lockstep::testing {

/// How many cases all properties of the program have run so far.
[[nodiscard]] inline std::int64_t& property_cases() {
  static std::int64_t count = 0;
  return count;
}

/// rc::prop, which counts: `body` takes no argument and draws what it needs.
template <class Body>
void property(const std::string& description, Body&& body) {
  rc::prop(description, [&] {
    body();
    ++property_cases();
  });
}

/// A whole number in [low, high].
inline std::int64_t drawn(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}

/// A number from low to high in steps of a thousandth of the difference: it shrinks to low.
inline double drawn_between(double low, double high) {
  constexpr std::int64_t steps = 1000;
  return low + (high - low) * (static_cast<double>(drawn(0, steps)) / static_cast<double>(steps));
}

/// The same with each order of magnitude as likely as the next. 0 < low.
inline double drawn_log(double low, double high) {
  return std::exp(drawn_between(std::log(low), std::log(high)));
}

inline std::vector<double> drawn_list(std::int64_t count, double low, double high) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = drawn_between(low, high);
  return values;
}

inline bool drawn_flag() {
  return drawn(0, 1) == 1;
}

}  // namespace lockstep::testing
