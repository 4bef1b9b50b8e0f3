// SPDX-License-Identifier: Apache-2.0
// A time plus a size has no meaning.
// EXPECT: no match for|invalid operands
#include "lockstep/platforms/quantity.hpp"

lockstep::Seconds sum(lockstep::Seconds time, [[maybe_unused]] lockstep::Bytes size) {
#ifdef LOCKSTEP_CONTROL
  return time + time;
#else
  return time + size;
#endif
}
