// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/precision.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "lockstep/platforms/registry.hpp"

namespace lockstep {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 7> widths = {{{"fp32", 4.0},
                                                                        {"tf32", 4.0},
                                                                        {"bf16", 2.0},
                                                                        {"fp16", 2.0},
                                                                        {"fp8", 1.0},
                                                                        {"int8", 1.0},
                                                                        {"int4", 0.5}}};

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<Bytes> bytes_per_element(std::string_view precision) {
  const std::string name = lower_case(precision);
  for (const auto& [known, width] : widths)
    if (known == name) return Bytes(width);
  return std::nullopt;
}

const std::vector<std::string>& precision_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [known, width] : widths) list.emplace_back(known);
    return list;
  }();
  return names;
}

std::string read_precision(TableReader& reader, std::string_view key,
                           const std::optional<std::string>& otherwise) {
  std::string name = reader.text(key, otherwise);
  if (bytes_per_element(name) || !reader.has(key)) return name;
  if (reader.raw(key)->text() != nullptr)  // else its type is a problem already
    reader.problem(key, fmt::format("{} \"{}\" is not a known precision", key, name.substr(0, 60)),
                   known_names_hint(name, precision_names()));
  return otherwise.value_or("fp16");
}

}  // namespace lockstep
