// SPDX-License-Identifier: Apache-2.0
// Names: the nearest known one, and the sentence that lists the known ones.
// Layer: platforms (standard library only).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// The known name closest to `name` by edits (case ignored), or "" when none is near enough to be
/// what was meant (more edits than a third of the longer name, and at least two allowed).
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// "did you mean X? known: A, B, C": the hint for an unknown name. Long lists are cut to the
/// nearest dozen.
[[nodiscard]] std::string known_names_hint(std::string_view name,
                                           std::span<const std::string> known);

/// The same, with X out of more names than are listed: other spellings of the known ones.
[[nodiscard]] std::string known_names_hint(std::string_view name,
                                           std::span<const std::string> known,
                                           std::span<const std::string> accepted);

/// Finds the entry named `name` in a table of pointers to structs with a `name` field; nullptr when
/// there is none.
template <class Info>
[[nodiscard]] const Info* find_by_name(std::span<const Info* const> table, std::string_view name) {
  for (const Info* entry : table)
    if (entry->name == name) return entry;
  return nullptr;
}

/// The names of such a table, in its order.
template <class Info>
[[nodiscard]] std::vector<std::string> names_of(std::span<const Info* const> table) {
  std::vector<std::string> names;
  for (const Info* entry : table) names.emplace_back(entry->name);
  return names;
}

}  // namespace lockstep
