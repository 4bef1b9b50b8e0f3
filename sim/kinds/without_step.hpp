// SPDX-License-Identifier: Apache-2.0
// Kinds that price something but have no step to run.
// Layer: sim/kinds.
#pragma once
#include <string>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {

/// A scenario whose closed form is all there is: simulate and validate end with exit code 3.
class ScenarioWithoutStep : public Scenario {
 public:
  std::string not_simulated() const override {
    return "kind " + std::string(kind()) + " has no step to simulate; lockstep predict prices it";
  }
  double tasks() const override { return 0.0; }
  Job lower() const override { throw Error(ErrorKind::unsupported, not_simulated(), name); }
  std::vector<Figure> expected() const override { return {}; }
  std::vector<Broken> broken() const override { return {}; }
  std::unique_ptr<Scenario> repaired(Assumption) const override { return nullptr; }
};

}  // namespace lockstep
