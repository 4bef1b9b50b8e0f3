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
#include "lockstep/sim/judge.hpp"
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
    {"parallel_layout", "parallel-layout"},
    {"self_contained_replica", "self-contained-replica"},
    {"training_memory", "training-memory"},
    {"distributed_model", "distributed-step"},
    {"reference_training_step", "reference-training-step"},
};

fs::path source_dir() {
  return LOCKSTEP_SOURCE_DIR;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

using CaseReasons = std::map<std::pair<std::string, std::string>, std::string>;

// Rows "| `file` | `case` | reason |" under a heading of analytic/README.md.
CaseReasons listed_under(const std::string& heading) {
  CaseReasons rows;
  bool inside = false;
  std::istringstream lines(text_of(source_dir() / "analytic" / "README.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (!inside || !line.starts_with("| `")) continue;
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

const CaseReasons& refused_by_us() {
  static const CaseReasons rows = listed_under("Where we refuse what the reference accepts");
  return rows;
}

const CaseReasons& priced_by_us() {
  static const CaseReasons rows = listed_under("Where we price what the reference refuses");
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
  int refused_by_us = 0;
  int priced_by_us = 0;
  int interface_only = 0;
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
    if (*text == "inf")
      CHECK(std::isinf(number_of(ours)));
    else
      CHECK((ours.text() != nullptr && *ours.text() == *text));
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

// Outputs of the reference that ours must have; a case that it refuses may list some.
void check_outputs(const Document& document, const Table& golden_case, const std::string& name,
                   Tally& tally) {
  std::unique_ptr<Scenario> scenario;
  REQUIRE_NOTHROW(scenario = read_scenario(document, name));
  const Prediction prediction = scenario->predict();
  Value expected = *golden_case.find("expected");
  expected.table()->erase("scenario_n_devices");  // the wrapper's property, not an output
  compare(Value(prediction.outputs), expected, "", tally);
}

void run_case(const std::string& file, const Table& golden_case, Tally& tally) {
  const std::string name = *golden_case.find("name")->text();
  INFO(file << ": " << name);
  const Value& inputs = *golden_case.find("inputs");
  if (mentions(inputs, "overrides") || mentions(inputs, "wrong_dimension")) {
    ++tally.interface_only;
    return;
  }
  const Document document = scenario_of(file, *inputs.table());
  const bool refused_there = golden_case.find("error") != nullptr;
  if (priced_by_us().contains({file, name})) {
    CHECK(refused_there);
    check_outputs(document, golden_case, name, tally);
    CHECK_FALSE(read_scenario(document, name)->predict().warnings.empty());
    ++tally.priced_by_us;
  } else if (refused_by_us().contains({file, name}) || refused_there) {
    try {
      static_cast<void>(read_scenario(document, name)->predict());
      FAIL_CHECK("is priced");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::input);
      CHECK(std::string(error.what()).find("unknown key") == std::string::npos);
    }
    ++(refused_there ? tally.refused_alike : tally.refused_by_us);
  } else {
    check_outputs(document, golden_case, name, tally);
    ++tally.cases;
  }
}

Document golden_file(const std::string& file) {
  return parse_json(text_of(source_dir() / "tests" / "golden" / (file + ".json")), file + ".json");
}

struct RunTally {
  std::map<Verdict, int> rows;
  int cases = 0;
  int not_run = 0;
};

// The row of README.md's table of golden runs: "| `file` | cases | equal | explained | not run |".
std::string readme_row(const std::string& file, const RunTally& tally) {
  return "| `" + file + "` | " + std::to_string(tally.cases) + " | " +
         std::to_string(tally.rows.contains(Verdict::equal) ? tally.rows.at(Verdict::equal) : 0) +
         " | " +
         std::to_string(tally.rows.contains(Verdict::explained) ? tally.rows.at(Verdict::explained)
                                                                : 0) +
         " | " + std::to_string(tally.not_run) + " |";
}

// A golden case through critical path and simulation as well.
void judge_case(const std::string& file, const Table& golden_case, RunTally& tally) {
  const std::string name = *golden_case.find("name")->text();
  INFO(file << ": " << name);
  const Value& inputs = *golden_case.find("inputs");
  if (mentions(inputs, "overrides") || mentions(inputs, "wrong_dimension")) return;
  if (refused_by_us().contains({file, name})) return;
  if (golden_case.find("error") != nullptr && !priced_by_us().contains({file, name})) return;
  const auto scenario = read_scenario(scenario_of(file, *inputs.table()), name);
  if (scenario->tasks() > default_task_limit) {
    ++tally.not_run;
    return;
  }
  ++tally.cases;
  for (const Row& row : judge(*scenario)) {
    INFO(row.quantity << ": formula " << row.formula << ", run " << row.simulation << "; "
                      << row.reason);
    CHECK((row.verdict == Verdict::equal || row.verdict == Verdict::explained));
    ++tally.rows[row.verdict];
  }
}

}  // namespace

TEST_CASE("golden cases of the reference") {
  for (const auto& [file, kind] : kind_of_file) {
    const Document golden = golden_file(file);
    Tally tally;
    for (const Value& one : *golden.root.find("cases")->array())
      run_case(file, *one.table(), tally);
    std::cout << "golden " << file << ": " << tally.cases << " cases agree (" << tally.values
              << " values), " << tally.refused_alike << " refused by both, " << tally.refused_by_us
              << " refused by us alone, " << tally.priced_by_us << " priced by us alone, "
              << tally.interface_only << " not expressible in a file\n";
    CHECK(tally.cases > 0);
  }
}

TEST_CASE("golden cases run: equal or explained, never a mismatch") {
  for (const char* file :
       {"pipeline_schedule", "pipeline_bubble_interleaved", "data_parallel_scale_out",
        "parallel_layout", "reference_training_step", "distributed_model"}) {
    RunTally tally;
    const Document golden = golden_file(file);
    for (const Value& one : *golden.root.find("cases")->array())
      judge_case(file, *one.table(), tally);
    std::cout << "golden runs " << file << ": " << tally.cases << " cases, "
              << tally.rows[Verdict::equal] << " rows equal, " << tally.rows[Verdict::explained]
              << " explained, " << tally.not_run << " cases not run (too many operations)\n";
    CHECK(tally.cases > 0);
    INFO("README.md must hold: " << readme_row(file, tally));
    CHECK(text_of(source_dir() / "README.md").find(readme_row(file, tally)) != std::string::npos);
  }
}

TEST_CASE("golden cases outside the formulas' reach name the assumption that breaks") {
  const std::map<std::string, Assumption> expected = {
      {"tp1_pp128_m8_v3", Assumption::microbatches_divide_stages},
      {"fleet_Research_256_Language.Llama2_13B_batch_size256_overlap_commTrue",
       Assumption::hidden_share_fits},
      {"seven_tp3", Assumption::full_nodes},
  };
  std::size_t seen = 0;
  const Document golden = golden_file("distributed_model");
  for (const Value& one : *golden.root.find("cases")->array()) {
    const auto found = expected.find(*one.table()->find("name")->text());
    if (found == expected.end()) continue;
    ++seen;
    INFO(found->first);
    const auto scenario = read_scenario(
        scenario_of("distributed_model", *one.table()->find("inputs")->table()), found->first);
    const std::vector<Row> rows = judge(*scenario);
    CHECK(rows.front().verdict == Verdict::explained);
    REQUIRE(rows.front().costs.size() == 1);
    CHECK(rows.front().costs.front().assumption == found->second);
  }
  CHECK(seen == expected.size());
}

TEST_CASE("every listed deviation is a golden case") {
  for (const CaseReasons* listed : {&refused_by_us(), &priced_by_us()}) {
    CHECK_FALSE(listed->empty());
    for (const auto& [key, reason] : *listed) {
      INFO(key.first << ": " << key.second);
      const Document golden = golden_file(key.first);
      bool found = false;
      for (const Value& one : *golden.root.find("cases")->array())
        found = found || *one.table()->find("name")->text() == key.second;
      CHECK(found);
      CHECK_FALSE(reason.empty());
    }
  }
}

}  // namespace lockstep
