// SPDX-License-Identifier: Apache-2.0
// Range checks of the closed forms, for callers of the library; files are checked when read.
// Layer: analytic (may include platforms only).
#pragma once
#include <cmath>
#include <cstdint>
#include <string>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/quantity.hpp"

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

inline void guard_in(const char* what, double value, double low, double high) {
  if (!(value >= low && value <= high))
    throw Error(ErrorKind::input, std::string(what) + " is " + std::to_string(value), what,
                "must be from " + std::to_string(low) + " to " + std::to_string(high));
}

/// The ranges that every collective shares.
inline void guard_link(Bytes message, std::int64_t ranks, BytesPerSecond rate, Seconds latency) {
  guard_at_least("ranks", ranks, 1);
  guard_non_negative("message", message.si());
  guard_positive("bandwidth", rate.si());
  guard_non_negative("latency", latency.si());
}

}  // namespace lockstep
