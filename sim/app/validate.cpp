// SPDX-License-Identifier: Apache-2.0
// lockstep validate: closed form, critical path and simulation side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <set>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/printable.hpp"
#include "lockstep/sim/app/checks.hpp"
#include "lockstep/sim/app/commands.hpp"
#include "lockstep/sim/app/output.hpp"
#include "lockstep/sim/app/table.hpp"
#include "lockstep/sim/app/trace.hpp"
#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/matrix.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/sim/timeline_of.hpp"

namespace lockstep::app {
namespace {

struct ValidateOptions : CommonOptions {
  bool markdown = false;
  bool all = false;
  bool summary = false;
  std::string traces;
};

Value json_of(const Row& row) {
  Table out;
  out.set("scenario", row.scenario);
  out.set("quantity", row.quantity);
  out.set("formula", row.formula);
  out.set("critical_path", row.critical_path);
  out.set("simulation", row.simulation);
  out.set("residual", row.residual);
  out.set("tolerance", row.tolerance);
  Array broken;
  Array costs;
  for (const Cost& cost : row.costs) {
    broken.emplace_back(name_of(cost.assumption));
    Table one;
    one.set("assumption", name_of(cost.assumption));
    one.set("how", cost.how);
    one.set("cost", cost.amount);
    costs.emplace_back(std::move(one));
  }
  out.set("assumptions_broken", Value(std::move(broken)));
  out.set("costs", Value(std::move(costs)));
  out.set("verdict", name_of(row.verdict));
  if (!row.reason.empty()) out.set("reason", row.reason);
  return Value(std::move(out));
}

// The rows of each scenario, in the order of the files.
using Judged = std::vector<std::vector<Row>>;

std::vector<Row> all_rows(const Judged& judged) {
  std::vector<Row> rows;
  for (const std::vector<Row>& of_one : judged)
    rows.insert(rows.end(), of_one.begin(), of_one.end());
  return rows;
}

std::string json_of(const std::vector<Row>& rows) {
  Array list;
  for (const Row& row : rows) list.push_back(json_of(row));
  Table document;
  document.set("lockstep", LOCKSTEP_VERSION);
  document.set("rows", Value(std::move(list)));
  document.set("warnings", Value(Array{}));
  return to_json(Value(std::move(document))) + "\n";
}

std::vector<std::string> cells_of(const Row& row) {
  return {shown_key(row.quantity),
          shown(row.quantity, row.formula),
          shown(row.quantity, row.critical_path),
          shown(row.quantity, row.simulation),
          fmt::format("{:.1e}", row.residual),
          name_of(row.verdict)};
}

std::string plain_table(const Judged& judged) {
  TextTable table({"", "formula", "critical path", "simulation", "residual", "verdict"},
                  {false, true, true, true, true, false});
  for (const std::vector<Row>& rows : judged) {
    if (!rows.empty()) table.add_heading(rows.front().scenario);
    for (const Row& row : rows) {
      std::vector<std::string> cells = cells_of(row);
      cells.front() = "  " + cells.front();
      table.add(std::move(cells));
    }
  }
  return table.plain();
}

std::string markdown_table(const std::vector<Row>& rows) {
  TextTable table(
      {"scenario", "quantity", "formula", "critical path", "simulation", "residual", "verdict"},
      {false, false, true, true, true, true, false});
  for (const Row& row : rows) {
    std::vector<std::string> cells = cells_of(row);
    cells.insert(cells.begin(), row.scenario);
    table.add(std::move(cells));
  }
  return table.markdown();
}

struct Counts {
  std::array<std::size_t, 4> by_verdict{};
  double worst_equal = 0.0;
};

Counts count(const std::vector<Row>& rows) {
  Counts counts;
  for (const Row& row : rows) {
    ++counts.by_verdict[static_cast<std::size_t>(row.verdict)];
    if (row.verdict == Verdict::equal)
      counts.worst_equal = std::max(counts.worst_equal, row.residual);
  }
  return counts;
}

std::string summary_of(const std::vector<Row>& rows) {
  const Counts counts = count(rows);
  std::string text = fmt::format("{} rows:", rows.size());
  for (std::size_t i = 0; i < counts.by_verdict.size(); ++i)
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", counts.by_verdict[i],
                        name_of(static_cast<Verdict>(i)));
  return text + fmt::format("; largest residual of an equal row {:.1e}\n", counts.worst_equal);
}

std::string sentences_of(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    const std::string sentence = sentence_for(row);
    if (!sentence.empty()) text += printable(sentence) + "\n";
  }
  return text;
}

// File names for scenarios, each once: what is no letter, digit, dot or dash becomes a dash, too
// long names are cut, and a second one of a name gets "-2".
class FileNames {
 public:
  std::string name_for(const std::string& scenario) {
    constexpr std::size_t longest = 200;  // names may have 255 bytes; the ending needs some
    std::string stem;
    for (const char c : scenario.substr(0, longest))
      stem += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' ? c : '-';
    if (stem.empty()) stem = "scenario";
    std::string name = stem;
    for (int copy = 2; !taken_.insert(name).second; ++copy) name = fmt::format("{}-{}", stem, copy);
    return name + ".trace.json.gz";
  }

 private:
  std::set<std::string> taken_;
};

class Validation {
 public:
  explicit Validation(const ValidateOptions& options) : options_(options) {
    judge_options_.task_limit = static_cast<double>(options.task_limit);
  }

  Judged run() {
    std::vector<MatrixEntry> entries;
    if (options_.files.empty()) entries = built_in_matrix();
    for (const std::string& file : options_.files)
      entries.push_back({read_scenario_file(file, options_.settings), {}});
    for (const MatrixEntry& entry : entries) {
      require_runnable(*entry.scenario, judge_options_.task_limit);
      static_cast<void>(checked_prediction(*entry.scenario));
    }
    if (!options_.traces.empty()) plan_traces(entries);
    Judged judged;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      judged.push_back(judged_rows(entries[i]));
      if (!paths_.empty()) write_trace(*entries[i].scenario, entries[i].engine, paths_[i]);
    }
    return judged;
  }

  [[nodiscard]] const std::vector<std::string>& written() const { return paths_; }

 private:
  // Each path is opened once, so that a bad one fails before the first run.
  void plan_traces(const std::vector<MatrixEntry>& entries) {
    namespace fs = std::filesystem;
    std::error_code problem;
    fs::create_directories(options_.traces, problem);
    std::error_code ignored;
    if (!fs::is_directory(options_.traces, ignored))
      throw Error(ErrorKind::io, "cannot be made a folder", options_.traces,
                  problem ? problem.message() : "a file of that name is there");
    FileNames names;
    for (const MatrixEntry& entry : entries) {
      paths_.push_back((fs::path(options_.traces) / names.name_for(entry.scenario->name)).string());
      require_no_input(paths_.back(), options_.files);
      const TraceFile probe(paths_.back());
    }
  }

  std::vector<Row> judged_rows(const MatrixEntry& entry) {
    const Scenario& scenario = *entry.scenario;
    judge_options_.engine = entry.engine;
    std::vector<Row> rows = in_scenario(scenario, [&] { return judge(scenario, judge_options_); });
    for (const Row& row : rows) require_finite(row, scenario);
    return rows;
  }

  static void write_trace(const Scenario& scenario, const EngineOptions& engine,
                          const std::string& path) {
    TraceFile file(path);
    in_scenario(scenario, [&] {
      const Job job = scenario.lower();
      const Timeline timeline = timeline_of(job, simulate(job.graph, job.network, engine));
      timeline.check();
      file.write(timeline, scenario);
    });
  }

  const ValidateOptions& options_;
  JudgeOptions judge_options_;
  std::vector<std::string> paths_;  // of the traces, one a scenario
};

int validate(const ValidateOptions& options) {
  if (options.files.empty() && !options.settings.empty())
    throw Error(ErrorKind::input, "--set changes files, and there is none", "command line",
                "name a scenario file");
  Validation validation(options);
  Judged judged = validation.run();
  const std::vector<Row> rows = all_rows(judged);
  if (options.files.empty() && !options.all)
    for (std::vector<Row>& of_one : judged)
      std::erase_if(of_one, [](const Row& row) { return row.verdict == Verdict::equal; });
  const std::vector<Row> listed = all_rows(judged);
  if (options.json) {
    print(json_of(rows));
  } else if (options.summary) {
    print(summary_of(rows));
  } else if (options.markdown) {
    print(markdown_table(listed));
  } else {
    print(plain_table(judged) + "\n" + sentences_of(listed) + summary_of(rows));
    if (listed.size() < rows.size())
      print(
          fmt::format("{} equal rows not listed; --all lists them\n", rows.size() - listed.size()));
    for (const std::string& path : validation.written()) print("trace: " + printable(path) + "\n");
  }
  const std::size_t wrong = count(rows).by_verdict[static_cast<std::size_t>(Verdict::mismatch)];
  if (wrong == 0) return 0;
  for (const Row& row : rows)
    if (row.verdict == Verdict::mismatch && (options.json || options.markdown || options.summary))
      note("lockstep: " + printable(sentence_for(row)));
  return 1;
}

}  // namespace

void add_validate(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* verb = program.add_subcommand(
      "validate", "closed form, critical path and simulation side by side; no file: the matrix");
  add_common(*verb, *options, true);
  verb->get_option("files")->required(false)->expected(0, -1);
  CLI::Option* markdown =
      verb->add_flag("--markdown", options->markdown, "print the table as Markdown")
          ->excludes("--json");
  verb->add_flag("--all", options->all, "list the equal rows of the built-in matrix too");
  verb->add_flag("--summary", options->summary, "print only how many rows are what")
      ->excludes("--json")
      ->excludes(markdown);
  require_name(*verb->add_option("--traces", options->traces,
                                 "write each scenario's timeline into this folder"));
  verb->footer("Example: lockstep validate examples/1f1b-unequal-stages.toml --traces out");
  verb->callback([options, &chosen] { chosen = [options] { return validate(*options); }; });
}

}  // namespace lockstep::app
