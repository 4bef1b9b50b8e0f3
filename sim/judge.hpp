// SPDX-License-Identifier: Apache-2.0
// The three answers side by side, and what their difference means.
// Layer: sim.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lockstep/sim/engine/engine.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {

enum class Verdict : std::uint8_t {
  equal,            ///< both runs equal the closed form
  explained,        ///< they do not, a broken assumption is named, and its repair makes them equal
  by_construction,  ///< the run rests on the closed form: never evidence
  mismatch,  ///< anything else: a fault of the formula, the schedule, the engine or the claim
};
[[nodiscard]] const char* name_of(Verdict verdict);

/// What dropping one assumption costs.
struct Cost {
  Assumption assumption;
  std::string how;      ///< in which way the inputs break it
  double amount = 0.0;  ///< in the unit of the row; the costs of a row sum to run - formula
};

/// One quantity of one scenario.
struct Row {
  std::string scenario;
  std::string quantity;
  double formula = 0.0;
  double critical_path = 0.0;
  double simulation = 0.0;
  double residual = 0.0;  ///< largest |run - formula| / |formula|; absolute where the formula is 0
  double tolerance = 1e-9;  ///< of the residual; more where a difference of large times rounds more
  std::vector<Cost> costs;  ///< one a broken assumption, in the order of the ladder
  Verdict verdict = Verdict::mismatch;
  std::string reason;  ///< of a mismatch: what failed
};

/// How the answers are got; tests put faults in here to see that they are noticed.
struct JudgeOptions {
  EngineOptions engine;
  double task_limit = default_task_limit;
  double tolerance = 1e-9;
  std::function<std::vector<Figure>(const Scenario&)> expected;  ///< default: Scenario::expected
  std::function<Job(const Scenario&)> lower;                     ///< default: Scenario::lower
};

/// Both runs of a scenario.
struct Answers {
  std::vector<Figure> formula;
  std::vector<Figure> critical_path;
  std::vector<Figure> simulation;
  bool by_construction = false;
  bool contended = false;
  double rounding = 0.0;  ///< relative: longest chain of tasks times half an ulp
};
[[nodiscard]] Answers answers_for(const Scenario& scenario, const JudgeOptions& options);

/// Judges a scenario, one row a quantity.
///
/// equal      both runs within the tolerance of the closed form: 1e-9 relative; where a figure is
///            the difference of larger times, at least their rounding, longest chain * 2^-53 each
/// explained  not equal; every broken assumption is known from the inputs alone; with all of them
///            repaired closed form = critical path = simulation; and the critical path is the
///            simulation, or below it where links are shared
/// Throws as require_runnable and simulate.
[[nodiscard]] std::vector<Row> judge(const Scenario& scenario, const JudgeOptions& options = {});

/// One plain sentence for a row that is not equal: which assumption broke, what it costs in ms and
/// percent. Empty for an equal row.
[[nodiscard]] std::string sentence_for(const Row& row);

}  // namespace lockstep
