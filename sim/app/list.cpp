// SPDX-License-Identifier: Apache-2.0
// lockstep list: what is registered, each with its source.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "lockstep/analytic/assumption.hpp"
#include "lockstep/analytic/formulas.hpp"
#include "lockstep/platforms/catalogue.hpp"
#include "lockstep/platforms/printable.hpp"
#include "lockstep/sim/app/commands.hpp"
#include "lockstep/sim/app/output.hpp"
#include "lockstep/sim/collectives/collective.hpp"
#include "lockstep/sim/scenario.hpp"
#include "lockstep/sim/schedules/schedule.hpp"
#include "lockstep/traces/writer.hpp"

namespace lockstep::app {
namespace {

// One listed thing: its name, then keys and texts.
using Listed = std::vector<std::pair<std::string, std::string>>;

std::vector<Listed> list_schedules() {
  std::vector<Listed> rows;
  for (const ScheduleInfo* info : schedules())
    rows.push_back({{"name", std::string(info->name)},
                    {"summary", std::string(info->summary)},
                    {"formula", std::string(info->claim.formula)},
                    {"source", std::string(info->source)}});
  return rows;
}

std::vector<Listed> list_collectives() {
  std::vector<Listed> rows;
  for (const CollectiveInfo* info : collectives())
    rows.push_back({{"name", std::string(info->name)},
                    {"operation", std::string(info->operation)},
                    {"function", std::string(info->function)},
                    {"summary", std::string(info->summary)},
                    {"formula", std::string(info->claim.formula)},
                    {"source", std::string(info->source)}});
  return rows;
}

std::vector<Listed> list_formulas() {
  std::vector<Listed> rows;
  for (const FormulaInfo* info : formulas()) {
    Listed row = {{"name", std::string(info->name)}, {"statement", std::string(info->statement)}};
    for (const SymbolInfo& symbol : info->symbols)
      row.emplace_back("  " + std::string(symbol.symbol), std::string(symbol.meaning));
    std::string names;
    for (const Assumption assumption : info->assumptions)
      names += (names.empty() ? "" : ", ") + std::string(name_of(assumption));
    row.emplace_back("assumes", names);
    row.emplace_back("source", std::string(info->source));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Listed> list_writers() {
  std::vector<Listed> rows;
  for (const WriterInfo* info : writers())
    rows.push_back({{"name", std::string(info->name)},
                    {"extension", std::string(info->extension)},
                    {"summary", std::string(info->summary)}});
  return rows;
}

std::vector<Listed> list_assumptions() {
  std::vector<Listed> rows;
  for (const AssumptionInfo& info : assumptions())
    rows.push_back({{"name", std::string(info.name)}, {"summary", std::string(info.statement)}});
  return rows;
}

std::vector<Listed> list_kinds() {
  std::vector<Listed> rows;
  for (const KindInfo* info : scenario_kinds())
    rows.push_back({{"name", std::string(info->name)}, {"summary", std::string(info->summary)}});
  return rows;
}

std::string text_at(const Table& table, std::string_view key) {
  const Value* value = table.find(key);
  return value != nullptr && value->text() != nullptr ? *value->text() : "";
}

// What was found, and which files of the catalogue could not be read: one must not hide the others.
struct Listing {
  std::vector<Listed> rows;
  std::vector<Error> problems;
};

void add_section(CatalogueSection section, Listing& listing) {
  Catalogue& catalogue = Catalogue::shared();
  for (const std::string& name : catalogue.names(section)) try {
      const Table& table = catalogue.find(section, name)->root;
      const Value* source = table.find("source");
      const Table* cited = source == nullptr ? nullptr : source->table();
      listing.rows.push_back({{"name", name},
                              {"section", std::string(name_of(section))},
                              {"summary", text_at(table, "name")},
                              {"source", cited == nullptr ? "" : text_at(*cited, "reference")}});
    } catch (const Error& problem) {
      listing.problems.push_back(problem);
    }
}

// The listed files that are not right, on standard error; the exit code that follows.
int report(const std::vector<Error>& problems) {
  int exit = 0;
  for (const Error& problem : problems) {
    print_error(problem, errors_as_json);
    if (exit == 0 || problem.kind() == ErrorKind::input) exit = exit_code_of(problem.kind());
  }
  return exit;
}

// What cannot go wrong: a registry of the program itself.
template <std::vector<Listed> (*lister)()>
Listing all_of() {
  return {lister(), {}};
}

template <CatalogueSection... sections>
Listing all_in() {
  Listing listing;
  (add_section(sections, listing), ...);
  return listing;
}

const std::map<std::string, Listing (*)()>& topics() {
  using enum CatalogueSection;
  static const std::map<std::string, Listing (*)()> table = {
      {"schedules", &all_of<list_schedules>},
      {"collectives", &all_of<list_collectives>},
      {"formulas", &all_of<list_formulas>},
      {"writers", &all_of<list_writers>},
      {"assumptions", &all_of<list_assumptions>},
      {"kinds", &all_of<list_kinds>},
      {"platforms", &all_in<accelerators, nodes, fabrics>},
      {"models", &all_in<models>},
      {"fleets", &all_in<fleets>},
  };
  return table;
}

int list(const std::string& topic, bool json) {
  const Listing listing = topics().at(topic)();
  if (json) {
    Array out;
    for (const Listed& row : listing.rows) {
      Table one;
      for (const auto& [key, text] : row) one.set(key.substr(key.find_first_not_of(' ')), text);
      out.emplace_back(std::move(one));
    }
    Table document;
    document.set("lockstep", LOCKSTEP_VERSION);
    document.set(topic, Value(std::move(out)));
    document.set("warnings", Value(Array{}));
    print(to_json(Value(std::move(document))) + "\n");
    return report(listing.problems);
  }
  std::string text;
  for (const Listed& row : listing.rows) {
    text += printable(row.front().second) + "\n";
    for (std::size_t i = 1; i < row.size(); ++i)
      if (!row[i].second.empty())
        text += fmt::format("  {:<10} {}\n", row[i].first, printable(row[i].second));
  }
  print(text);
  return report(listing.problems);
}

}  // namespace

void add_list(CLI::App& program, Action& chosen) {
  auto topic = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  std::vector<std::string> names;
  for (const auto& [name, lister] : topics()) names.push_back(name);
  CLI::App* verb = program.add_subcommand("list", "what is registered, each with its source");
  verb->add_option("topic", *topic, "what to list")->required()->check(CLI::IsMember(names));
  verb->add_flag("--json", *json, "print one JSON document");
  verb->footer("Example: lockstep list schedules");
  verb->callback(
      [topic, json, &chosen] { chosen = [topic, json] { return list(*topic, *json); }; });
}

}  // namespace lockstep::app
