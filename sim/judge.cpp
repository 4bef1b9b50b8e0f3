// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

double residual_of(double formula, double run) {
  const double difference = std::abs(run - formula);
  return formula == 0.0 ? difference : difference / std::abs(formula);
}

bool close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

// The tolerance of a row: as asked for, or what rounding does to a difference of larger numbers.
// Each time of a run is a sum along a chain of tasks, each addition rounded to half an ulp; the
// closed form has a few roundings of its own.
double tolerance_of(const Answers& answers, std::size_t row, double asked) {
  constexpr double own_roundings = 8.0;
  const double scale = answers.simulation[row].difference_of;
  const double formula = std::abs(answers.formula[row].value);
  const double rounding =
      scale * (answers.rounding + own_roundings * std::numeric_limits<double>::epsilon());
  return std::max(asked, formula == 0.0 ? rounding : rounding / formula);
}

bool row_equal(const Answers& answers, std::size_t row, double asked) {
  const double formula = answers.formula[row].value;
  const double tolerance = tolerance_of(answers, row, asked);
  return residual_of(formula, answers.critical_path[row].value) <= tolerance &&
         residual_of(formula, answers.simulation[row].value) <= tolerance;
}

// One broken assumption after the other repaired; the scenario after each, and its answers.
struct Ladder {
  std::vector<Broken> broken;    // repaired in this order
  std::vector<Answers> answers;  // answers[0]: as given; answers[i]: after i repairs
  std::string unrepaired;        // the first assumption without a repair
};

Ladder climb(const Scenario& scenario, const JudgeOptions& options) {
  Ladder ladder;
  ladder.answers.push_back(answers_for(scenario, options));
  const Scenario* current = &scenario;
  std::unique_ptr<Scenario> owned;
  for (std::vector<Broken> left = current->broken(); !left.empty(); left = current->broken()) {
    LOCKSTEP_CHECK(ladder.broken.size() < assumptions().size(), "a repair did not repair");
    ladder.broken.push_back(left.front());
    owned = current->repaired(left.front().assumption);
    if (owned == nullptr) {
      ladder.unrepaired = name_of(left.front().assumption);
      return ladder;
    }
    current = owned.get();
    ladder.answers.push_back(answers_for(*current, options));
  }
  return ladder;
}

// The share of each assumption in run - formula: the fall of that difference when it is repaired.
std::vector<Cost> costs_of(const Ladder& ladder, std::size_t row) {
  std::vector<Cost> costs;
  for (std::size_t i = 0; i + 1 < ladder.answers.size(); ++i) {
    const auto gap = [&](const Answers& answers) {
      return answers.simulation[row].value - answers.formula[row].value;
    };
    costs.push_back({ladder.broken[i].assumption, ladder.broken[i].how,
                     gap(ladder.answers[i]) - gap(ladder.answers[i + 1])});
  }
  return costs;
}

// Why a row that is not equal is not explained either; empty when it is.
std::string doubt_about(const Ladder& ladder, std::size_t row, double tolerance) {
  if (ladder.broken.empty()) return "no assumption is broken by the inputs";
  if (!ladder.unrepaired.empty()) return ladder.unrepaired + " has no repair to compare with";
  if (!row_equal(ladder.answers.back(), row, tolerance))
    return "with every broken assumption repaired the three answers still differ";
  return {};
}

// Holds for every row, equal or not.
std::string inconsistency(const Answers& answers, double tolerance) {
  const double path = answers.critical_path.front().value;
  const double run = answers.simulation.front().value;
  if (close(path, run, tolerance)) return {};
  if (!answers.contended) return "critical path and simulation differ though nothing is shared";
  if (path > run) return "the critical path is above the simulation";
  return {};
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal:
      return "equal";
    case Verdict::explained:
      return "explained";
    case Verdict::by_construction:
      return "by construction";
    case Verdict::mismatch:
      return "mismatch";
  }
  return "mismatch";
}

Answers answers_for(const Scenario& scenario, const JudgeOptions& options) {
  require_runnable(scenario, options.task_limit);
  Answers answers;
  answers.formula = options.expected ? options.expected(scenario) : scenario.expected();
  const Job job = options.lower ? options.lower(scenario) : scenario.lower();
  answers.by_construction = job.by_construction;
  answers.contended = job.contended;
  answers.rounding = static_cast<double>(longest_chain(job.graph)) *
                     (std::numeric_limits<double>::epsilon() / 2.0);
  answers.critical_path = scenario.measured(job, critical_path(job.graph, job.network));
  answers.simulation = scenario.measured(job, simulate(job.graph, job.network, options.engine));
  LOCKSTEP_CHECK(answers.formula.size() == answers.simulation.size(),
                 "a kind must measure what it expects");
  return answers;
}

std::vector<Row> judge(const Scenario& scenario, const JudgeOptions& options) {
  const Ladder ladder = climb(scenario, options);
  const Answers& answers = ladder.answers.front();
  const std::string odd = inconsistency(answers, options.tolerance);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < answers.formula.size(); ++i) {
    Row row;
    row.scenario = scenario.name;
    row.quantity = answers.formula[i].name;
    row.formula = answers.formula[i].value;
    row.critical_path = answers.critical_path[i].value;
    row.simulation = answers.simulation[i].value;
    row.tolerance = tolerance_of(answers, i, options.tolerance);
    row.residual = std::max(residual_of(row.formula, row.critical_path),
                            residual_of(row.formula, row.simulation));
    row.costs = costs_of(ladder, i);
    const bool equal = row_equal(answers, i, options.tolerance);
    row.reason = !odd.empty() ? odd : equal ? "" : doubt_about(ladder, i, options.tolerance);
    if (!row.reason.empty())
      row.verdict = Verdict::mismatch;
    else if (answers.by_construction)
      row.verdict = Verdict::by_construction;
    else
      row.verdict = equal ? Verdict::equal : Verdict::explained;
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

std::string value_text(const std::string& quantity, double value) {
  if (quantity.ends_with("_s")) return fmt::format("{:.6g} ms", value * 1e3);
  return fmt::format("{:.6g}", value);
}

std::string signed_text(const std::string& quantity, double value) {
  return (value < 0.0 ? "-" : "+") + value_text(quantity, std::abs(value));
}

}  // namespace

std::string sentence_for(const Row& row) {
  if (row.verdict == Verdict::equal) return {};
  std::string_view quantity = row.quantity;
  if (quantity.ends_with("_s")) quantity.remove_suffix(2);  // the unit stands beside the value
  const std::string what = fmt::format("{}: {}", row.scenario, quantity);
  if (row.verdict == Verdict::by_construction)
    return fmt::format("{} rests on the closed form and proves nothing.", what);
  if (row.verdict == Verdict::mismatch)
    return fmt::format("{} is {} by simulation and {} by formula, and this is not explained: {}.",
                       what, value_text(row.quantity, row.simulation),
                       value_text(row.quantity, row.formula), row.reason);
  std::string text = fmt::format("{} is {}, not {}", what, value_text(row.quantity, row.simulation),
                                 value_text(row.quantity, row.formula));
  for (std::size_t i = 0; i < row.costs.size(); ++i) {
    const Cost& cost = row.costs[i];
    text += fmt::format("{} {} does not hold ({}), which costs {}", i == 0 ? ":" : ";",
                        name_of(cost.assumption), cost.how, signed_text(row.quantity, cost.amount));
    if (row.formula != 0.0) text += fmt::format(" ({:+.2f} %)", 100.0 * cost.amount / row.formula);
  }
  return text + ".";
}

}  // namespace lockstep
