// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/registry.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace lockstep {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t longest_compared = 200;  // hostile keys must not cost quadratic time
  if (name.size() > longest_compared) return {};
  std::string best;
  std::size_t best_edits = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(name, candidate);
    if (best.empty() || distance < best_edits) best = candidate, best_edits = distance;
  }
  const std::size_t longer = std::max(name.size(), best.size());
  const std::size_t allowed = std::max<std::size_t>(2, longer / 3);
  return best_edits <= allowed && best_edits < longer ? best : std::string{};
}

std::string known_names_hint(std::string_view name, std::span<const std::string> known) {
  return known_names_hint(name, known, known);
}

std::string known_names_hint(std::string_view name, std::span<const std::string> known,
                             std::span<const std::string> accepted) {
  constexpr std::size_t most_listed = 12;
  const std::string best = nearest_name(name, accepted);
  std::vector<std::string> listed(known.begin(), known.end());
  if (listed.size() > most_listed && name.size() <= 200) {
    std::stable_sort(listed.begin(), listed.end(), [&](const std::string& a, const std::string& b) {
      return edits(name, a) < edits(name, b);
    });
  }
  const bool cut = listed.size() > most_listed;
  if (cut) listed.resize(most_listed);
  std::string text = best.empty() ? "known: " : "did you mean " + best + "? known: ";
  for (std::size_t i = 0; i < listed.size(); ++i) text += (i == 0 ? "" : ", ") + listed[i];
  if (known.empty()) text += "none";
  return cut ? text + ", ..." : text;
}

}  // namespace lockstep
