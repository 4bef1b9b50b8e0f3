// SPDX-License-Identifier: Apache-2.0
// How closely a collective is followed.
// Layer: sim/collectives (standard library only).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class Fidelity : std::uint8_t {
  formula,  ///< one task of the closed-form duration: never evidence
  flows,    ///< one flow an edge with all its bytes and latencies
  steps,    ///< every message
};
[[nodiscard]] const char* name_of(Fidelity fidelity);
[[nodiscard]] const std::vector<std::string>& fidelity_names();
[[nodiscard]] Fidelity fidelity_named(std::string_view name);

}  // namespace lockstep
