// SPDX-License-Identifier: Apache-2.0
// Scenario files: TOML for people, JSON for programs, the same keys.
// Layer: sim.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lockstep/platforms/document.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {

/// Reads a scenario from a document. `fallback_name` is used when it gives no name.
/// Throws Error(input) with every problem found, each with its place.
[[nodiscard]] std::unique_ptr<Scenario> read_scenario(const Document& document,
                                                      const std::string& fallback_name);

/// Reads a file ("-": standard input as JSON) and applies settings "dotted.key=value" in order.
[[nodiscard]] std::unique_ptr<Scenario> read_scenario_file(
    const std::string& path, const std::vector<std::string>& settings = {});

/// A scenario from JSON text made by the program: a bug if it is not right.
[[nodiscard]] std::unique_ptr<Scenario> scenario_from_json(const std::string& json,
                                                           const std::string& name);

}  // namespace lockstep
