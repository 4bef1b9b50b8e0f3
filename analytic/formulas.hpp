// SPDX-License-Identifier: Apache-2.0
// The registry of closed forms: one file in formulas/ and one line in formulas.def each.
// Layer: analytic (may include platforms only).
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/analytic/assumption.hpp"

namespace lockstep {

struct SymbolInfo {
  std::string_view symbol;
  std::string_view meaning;  ///< with unit and range
};

struct FormulaInfo {
  std::string_view name;       ///< id: "ring_all_reduce"
  std::string_view statement;  ///< "T = 2(n-1)/n * M/W + 2(n-1) * A"
  std::vector<SymbolInfo> symbols;
  std::vector<Assumption> assumptions;
  std::string_view source;
};

/// All formulas, in the order of formulas.def.
[[nodiscard]] std::span<const FormulaInfo* const> formulas();

}  // namespace lockstep
