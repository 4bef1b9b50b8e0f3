// SPDX-License-Identifier: Apache-2.0
// The time of a message is its size over the rate; the product of the two is no time.
// EXPECT: could not convert|no viable conversion
#include "lockstep/platforms/quantity.hpp"

lockstep::Seconds message_time(lockstep::Bytes size, lockstep::BytesPerSecond rate) {
#ifdef LOCKSTEP_CONTROL
  return size / rate;
#else
  return size * rate;
#endif
}
