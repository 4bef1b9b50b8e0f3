// SPDX-License-Identifier: Apache-2.0
// What the program prints: results on standard output, everything else on standard error.
// Layer: sim/app.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep::app {

/// Prints a result to standard output. Throws Error(io) when it cannot be written.
void print(std::string_view text);

/// Prints a line to standard error, as far as it can be written.
void note(std::string_view line);

/// Prints an error to standard error: a line a problem, or with --json a document a problem.
void print_error(const Error& error, bool json);

/// {"lockstep": version, "scenario": the inputs with defaults}: how every document begins.
[[nodiscard]] Table begin_document(const Scenario& scenario);

/// A list of texts.
[[nodiscard]] Value texts(const std::vector<std::string>& list);

/// The inputs, kind and name first, in SI keys.
[[nodiscard]] Table scenario_table(const Scenario& scenario);

/// A value for people, by the suffix of its key: "4.662 s", "3 GB", "0.4286".
[[nodiscard]] std::string shown(std::string_view key, const Value& value);
/// The key without its unit suffix: "update_time_s" to "update_time".
[[nodiscard]] std::string shown_key(std::string_view key);

}  // namespace lockstep::app
