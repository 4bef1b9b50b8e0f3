// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "lockstep/sim/scenario.hpp"

namespace lockstep {

#define LOCKSTEP_KIND(unit) extern const KindInfo kind_##unit;
#include "lockstep/sim/kinds/kinds.def"
#undef LOCKSTEP_KIND

std::span<const KindInfo* const> scenario_kinds() {
  static const std::array table = {
#define LOCKSTEP_KIND(unit) &kind_##unit,
#include "lockstep/sim/kinds/kinds.def"
#undef LOCKSTEP_KIND
  };
  return table;
}

}  // namespace lockstep
