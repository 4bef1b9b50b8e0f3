// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/app/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "lockstep/platforms/printable.hpp"
#include "lockstep/platforms/quantity_text.hpp"

namespace lockstep::app {

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw Error(ErrorKind::io, "cannot be written", "standard output", std::strerror(errno));
}

void note(std::string_view line) {
  // There is nobody left to tell when standard error cannot be written.
  const std::string text = std::string(line) + "\n";
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void print_error(const Error& error, bool json) {
  for (const Diagnostic& problem : error.diagnostics()) {
    if (json) {
      Table inner;
      inner.set("kind", name_of(error.kind()));
      inner.set("where", problem.where);
      inner.set("message", problem.message);
      inner.set("hint", problem.hint);
      Table document;
      document.set("error", Value(std::move(inner)));
      note(to_json(Value(std::move(document))));
    } else {
      note("lockstep: " + printable(to_text(problem)));
    }
  }
}

Table scenario_table(const Scenario& scenario) {
  Table inputs;
  inputs.set("kind", scenario.kind());
  inputs.set("name", scenario.name);
  if (!scenario.description.empty()) inputs.set("description", scenario.description);
  for (const Table::Entry& entry : scenario.resolved.entries()) inputs.set(entry.key, entry.value);
  return inputs;
}

Table begin_document(const Scenario& scenario) {
  Table document;
  document.set("lockstep", LOCKSTEP_VERSION);
  document.set("scenario", Value(scenario_table(scenario)));
  return document;
}

Value texts(const std::vector<std::string>& list) {
  Array values;
  for (const std::string& text : list) values.emplace_back(text);
  return Value(std::move(values));
}

namespace {

struct Suffix {
  std::string_view text;
  Dimension dimension;
};
// Longest first, so that "_bytes_per_s" is not taken for "_s".
constexpr Suffix suffixes[] = {
    {"_flops_per_s", Dimension::flop_rate},
    {"_flops_actual_per_s", Dimension::flop_rate},
    {"_bytes_per_s", Dimension::byte_rate},
    {"_bytes", Dimension::bytes},
    {"_flops", Dimension::flops},
    {"_usd", Dimension::money},
    {"_s", Dimension::time},
};

const Suffix* suffix_of(std::string_view key) {
  if (key == "effective_throughput_per_s" || key == "throughput_per_s") return nullptr;
  for (const Suffix& suffix : suffixes)
    if (key.ends_with(suffix.text)) return &suffix;
  return nullptr;
}

}  // namespace

std::string shown_key(std::string_view key) {
  const Suffix* suffix = suffix_of(key);
  // "gradient_bytes" and "step_flops" read well, and say what they are.
  const bool kept = suffix == nullptr || suffix->text == "_bytes" || suffix->text == "_flops" ||
                    suffix->text == "_flops_actual_per_s";
  return std::string(kept ? key : key.substr(0, key.size() - suffix->text.size()));
}

std::string shown(std::string_view key, const Value& value) {
  constexpr int digits = 6;
  if (const double* real = value.real()) {
    const Suffix* suffix = suffix_of(key);
    if (suffix != nullptr && std::isfinite(*real))
      return quantity_text(*real, suffix->dimension, digits);
    const std::string_view unit = key.ends_with("_per_s") ? " /s" : key == "energy_j" ? " J" : "";
    return fmt::format("{:.{}g}{}", *real, digits, unit);
  }
  if (const Array* list = value.array()) {
    std::string text;
    for (const Value& item : *list) text += (text.empty() ? "" : ", ") + shown(key, item);
    return text;
  }
  if (const std::string* text = value.text()) return *text;
  return to_json(value);
}

}  // namespace lockstep::app
