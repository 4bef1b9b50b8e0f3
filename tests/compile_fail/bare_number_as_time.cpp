// SPDX-License-Identifier: Apache-2.0
// A bare number does not become a time by itself: its unit must be said.
// EXPECT: could not convert|no viable conversion
#include "lockstep/platforms/quantity.hpp"

lockstep::Seconds step_time() {
#ifdef LOCKSTEP_CONTROL
  return lockstep::Seconds(1.8);
#else
  return 1.8;
#endif
}
