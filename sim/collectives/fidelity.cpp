// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/collectives/fidelity.hpp"

namespace lockstep {

const char* name_of(Fidelity fidelity) {
  return fidelity_names()[static_cast<std::size_t>(fidelity)].c_str();
}

const std::vector<std::string>& fidelity_names() {
  static const std::vector<std::string> names = {"formula", "flows", "steps"};
  return names;
}

Fidelity fidelity_named(std::string_view name) {
  if (name == "formula") return Fidelity::formula;
  return name == "steps" ? Fidelity::steps : Fidelity::flows;
}

}  // namespace lockstep
