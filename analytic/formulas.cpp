// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas.hpp"

#include <array>

namespace lockstep {

#define LOCKSTEP_FORMULA(unit) extern const FormulaInfo formula_##unit;
#include "lockstep/analytic/formulas.def"
#undef LOCKSTEP_FORMULA

std::span<const FormulaInfo* const> formulas() {
  static const std::array table = {
#define LOCKSTEP_FORMULA(unit) &formula_##unit,
#include "lockstep/analytic/formulas.def"
#undef LOCKSTEP_FORMULA
  };
  return table;
}

}  // namespace lockstep
