// SPDX-License-Identifier: Apache-2.0
// The reference's outputs against ours: every golden case, 1e-9 relative. Cases that we refuse on
// purpose are rows of the table in analytic/README.md; the test reads them there, so that the
// document and the behaviour cannot drift apart.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
constexpr double tolerance = 1e-9;

const std::map<std::string, std::string> kind_of_file = {
    {"pipeline_schedule", "pipeline-schedule"},
    {"pipeline_bubble_interleaved", "pipeline-schedule"},
    {"data_parallel_scale_out", "data-parallel-scale-out"},
    {"collectives", "collective"},
};

fs::path source_dir() { return LOCKSTEP_SOURCE_DIR; }

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Rows "| `file` | `case` | reason |" of the deviations table.
std::map<std::pair<std::string, std::string>, std::string> deviations() {
  std::map<std::pair<std::string, std::string>, std::string> rows;
  std::istringstream lines(text_of(source_dir() / "analytic" / "README.md"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) {
      std::erase_if(cell, [](char c) { return c == '`'; });
      const auto first = cell.find_first_not_of(' ');
      cells.push_back(first == std::string::npos
                          ? ""
                          : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    if (cells.size() >= 3 && kind_of_file.contains(cells[0])) rows[{cells[0], cells[1]}] = cells[2];
  }
  return rows;
}

bool mentions(const Value& value, std::string_view key) {
  if (const Table* table = value.table()) {
    for (const Table::Entry& entry : table->entries())
      if (entry.key == key || mentions(entry.value, key)) return true;
  }
  return false;
}

struct Tally {
  int cases = 0;
  int values = 0;
  int refused_alike = 0;
  int deviations = 0;
  int interface_only = 0;
  int other_kind = 0;
};

bool agree(double ours, double golden) {
  if (std::isinf(golden)) return ours == golden;
  return std::abs(ours - golden) <= tolerance * std::max(std::abs(golden), 1e-300);
}

double number_of(const Value& value) {
  if (const double* real = value.real()) return *real;
  if (const std::int64_t* integer = value.integer()) return static_cast<double>(*integer);
  return NAN;
}

void compare(const Value& ours, const Value& golden, const std::string& path, Tally& tally) {
  INFO(path);
  if (const Table* table = golden.table()) {
    REQUIRE(ours.table() != nullptr);
    for (const Table::Entry& entry : table->entries()) {
      if (entry.value.is_null()) continue;
      INFO("output " << entry.key);
      const Value* mine = ours.table()->find(entry.key);
      REQUIRE(mine != nullptr);
      compare(*mine, entry.value, path + "." + entry.key, tally);
    }
    return;
  }
  if (const Array* list = golden.array()) {
    REQUIRE(ours.array() != nullptr);
    REQUIRE(ours.array()->size() == list->size());
    for (std::size_t i = 0; i < list->size(); ++i)
      compare((*ours.array())[i], (*list)[i], path + "[" + std::to_string(i) + "]", tally);
    return;
  }
  ++tally.values;
  if (const std::string* text = golden.text()) {
    if (*text == "inf") CHECK(std::isinf(number_of(ours)));
    else CHECK((ours.text() != nullptr && *ours.text() == *text));
  } else if (const bool* flag = golden.flag()) {
    CHECK((ours.flag() != nullptr && *ours.flag() == *flag));
  } else {
    INFO("ours " << number_of(ours) << ", golden " << number_of(golden));
    CHECK(agree(number_of(ours), number_of(golden)));
  }
}

// The case's inputs as a scenario; keys that no scenario has are left out.
Document scenario_of(const std::string& file, const Table& inputs) {
  Table root;
  root.set("kind", kind_of_file.at(file));
  for (const Table::Entry& entry : inputs.entries())
    if (entry.key != "topology_override") root.set(entry.key, entry.value);
  return Document{"golden", std::move(root), "golden"};
}

void run_case(const std::string& file, const Table& golden_case, Tally& tally) {
  const std::string name = *golden_case.find("name")->text();
  INFO(file << ": " << name);
  const Value& inputs = *golden_case.find("inputs");
  if (mentions(inputs, "overrides") || mentions(inputs, "wrong_dimension")) {
    ++tally.interface_only;
    return;
  }
  static const auto deviating = deviations();
  const Document document = scenario_of(file, *inputs.table());
  const bool deviates = deviating.contains({file, name});
  const bool refused_there = golden_case.find("error") != nullptr;
  if (deviates || refused_there) {
    CHECK_THROWS_AS(read_scenario(document, name)->predict(), Error);
    ++(deviates ? tally.deviations : tally.refused_alike);
    return;
  }
  std::unique_ptr<Scenario> scenario;
  REQUIRE_NOTHROW(scenario = read_scenario(document, name));
  const Prediction prediction = scenario->predict();
  Value expected = *golden_case.find("expected");
  expected.table()->erase("scenario_n_devices");  // the wrapper's property, not an output
  compare(Value(prediction.outputs), expected, "", tally);
  ++tally.cases;
}

bool kind_is_known(const std::string& file, const Table& golden_case) {
  if (file != "collectives") return true;
  const Value* function = golden_case.find("inputs")->table()->find("function");
  return *function->text() == "ring_allreduce";
}

}  // namespace

TEST_CASE("golden cases of the reference") {
  for (const auto& [file, kind] : kind_of_file) {
    const Document golden = parse_json(
        text_of(source_dir() / "tests" / "golden" / (file + ".json")), file + ".json");
    Tally tally;
    for (const Value& one : *golden.root.find("cases")->array()) {
      if (kind_is_known(file, *one.table())) run_case(file, *one.table(), tally);
      else ++tally.other_kind;
    }
    std::cout << "golden " << file << ": " << tally.cases << " cases agree (" << tally.values
              << " values), " << tally.refused_alike << " refused by both, " << tally.deviations
              << " refused by us alone, " << tally.interface_only
              << " not expressible in a file, " << tally.other_kind << " of kinds to come\n";
    CHECK(tally.cases > 0);
  }
}

TEST_CASE("every listed deviation is a golden case") {
  for (const auto& [key, reason] : deviations()) {
    INFO(key.first << ": " << key.second);
    const Document golden = parse_json(
        text_of(source_dir() / "tests" / "golden" / (key.first + ".json")), key.first + ".json");
    bool found = false;
    for (const Value& one : *golden.root.find("cases")->array())
      found = found || *one.table()->find("name")->text() == key.second;
    CHECK(found);
    CHECK_FALSE(reason.empty());
  }
}

}  // namespace lockstep
