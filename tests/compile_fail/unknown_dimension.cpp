// SPDX-License-Identifier: Apache-2.0
// A quantity without a text form has no Dimension to be read with.
// EXPECT: DimensionOf
#include "lockstep/platforms/quantity_text.hpp"

#ifdef LOCKSTEP_CONTROL
using Asked = lockstep::FlopsPerSecond;
#else
using Asked = lockstep::Quantity<2, 1, 0>;
#endif

lockstep::Dimension dimension() {
  return lockstep::dimension_of<Asked>;
}
