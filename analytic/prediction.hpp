// SPDX-License-Identifier: Apache-2.0
// What a closed form says: terms that add up, all outputs by name, and what it took for granted.
// Layer: analytic (may include platforms only).
#pragma once
#include <string>
#include <vector>

#include "lockstep/analytic/assumption.hpp"
#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// A part of the step, in the order in which it is added.
struct Term {
  std::string name;
  Seconds value;
};

struct Prediction {
  std::string formula;                  ///< id of the formula, as in `lockstep list formulas`
  std::vector<Term> terms;              ///< their sum is the step; empty when there is no step
  Table outputs;                        ///< every output, keys as the reference documents them, SI
  std::vector<Assumption> assumptions;  ///< what the formula takes for granted
  std::vector<std::string> warnings;    ///< doubtful inputs that were priced all the same

  /// Sum of the terms, left to right.
  [[nodiscard]] Seconds total() const {
    Seconds sum;
    for (const Term& term : terms) sum += term.value;
    return sum;
  }
};

}  // namespace lockstep
