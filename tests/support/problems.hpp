// SPDX-License-Identifier: Apache-2.0
// What a refusal said: the diagnostics of an Error, for tests to look into.
#pragma once
#include <string>
#include <vector>

#include "lockstep/platforms/error.hpp"

namespace lockstep::testing {

/// The diagnostics of the Error(input) that `action` throws; empty when it throws none. An error of
/// another kind shows as one diagnostic at "another kind".
template <class Action>
[[nodiscard]] std::vector<Diagnostic> problems_of(Action&& action) {
  try {
    static_cast<void>(action());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::input) return error.diagnostics();
    return {{"another kind", std::string(name_of(error.kind())) + ": " + error.what(), ""}};
  }
  return {};
}

/// The places of some diagnostics, in order.
[[nodiscard]] inline std::vector<std::string> places(const std::vector<Diagnostic>& problems) {
  std::vector<std::string> list;
  for (const Diagnostic& problem : problems) list.push_back(problem.where);
  return list;
}

/// All of them as one text.
[[nodiscard]] inline std::string words(const std::vector<Diagnostic>& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) text += to_text(problem) + "\n";
  return text;
}

}  // namespace lockstep::testing
