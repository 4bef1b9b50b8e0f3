// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/scenario_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/registry.hpp"

namespace lockstep {

std::unique_ptr<Scenario> read_scenario(const Document& document,
                                        const std::string& fallback_name) {
  Diagnostics problems;
  TableReader reader(document.root, document.root_where, problems);
  const std::vector<std::string> kinds = names_of(scenario_kinds());
  if (!reader.has("kind"))
    throw Error(ErrorKind::input, "kind is missing", document.root_where,
                known_names_hint("", kinds));
  const std::string kind = reader.choice("kind", kinds);
  problems.throw_if_any();  // without a kind no other key can be judged
  std::string name = reader.optional_text("name").value_or(fallback_name);
  std::string description = reader.optional_text("description").value_or("");
  std::unique_ptr<Scenario> scenario = find_by_name(scenario_kinds(), kind)->read(reader);
  reader.finish();
  problems.throw_if_any();
  scenario->name = std::move(name);
  scenario->description = std::move(description);
  scenario->resolved = reader.resolved();
  scenario->where = document.root_where;
  if (scenario->where.ends_with(":/")) scenario->where.resize(scenario->where.size() - 2);
  return scenario;
}

std::unique_ptr<Scenario> read_scenario_file(const std::string& path,
                                             const std::vector<std::string>& settings) {
  Document document = read_document(path);
  for (const std::string& setting : settings) apply_setting(document, setting);
  const std::string stem =
      path == "-" ? "standard input" : std::filesystem::path(path).stem().string();
  return read_scenario(document, stem);
}

std::unique_ptr<Scenario> scenario_from_json(const std::string& json, const std::string& name) {
  try {
    return read_scenario(parse_json(json, name), name);
  } catch (const Error& error) {
    throw Error(ErrorKind::internal, std::string("a built-in scenario is wrong: ") + error.what());
  }
}

}  // namespace lockstep
