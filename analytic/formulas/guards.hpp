// SPDX-License-Identifier: Apache-2.0
// Range checks of the closed forms, for callers of the library; files are checked when read.
// Layer: analytic (may include platforms only).
#pragma once
#include <cmath>
#include <cstdint>
#include <string>

#include "lockstep/platforms/error.hpp"

namespace lockstep {

inline void guard_at_least(const char* what, std::int64_t value, std::int64_t low) {
  if (value < low)
    throw Error(ErrorKind::input, std::string(what) + " is " + std::to_string(value), what,
                "must be at least " + std::to_string(low));
}

inline void guard_positive(const char* what, double value) {
  if (!(std::isfinite(value) && value > 0.0))
    throw Error(ErrorKind::input, std::string(what) + " is " + std::to_string(value), what,
                "must be finite and above 0");
}

inline void guard_non_negative(const char* what, double value) {
  if (!(std::isfinite(value) && value >= 0.0))
    throw Error(ErrorKind::input, std::string(what) + " is " + std::to_string(value), what,
                "must be finite and at least 0");
}

}  // namespace lockstep
