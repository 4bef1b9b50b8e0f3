// SPDX-License-Identifier: Apache-2.0
// A scenario: what to price, its closed form, its task graph, and which assumptions it breaks.
// Layer: sim.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/analytic/prediction.hpp"
#include "lockstep/platforms/table_reader.hpp"
#include "lockstep/sim/lower/job.hpp"

namespace lockstep {

/// A quantity that the closed form and a run both have.
struct Figure {
  std::string name;  ///< "makespan_s", "bubble"
  double value = 0.0;
  /// Of a run: the size of what `value` is the difference of, in its unit (a makespan, or 1 for a
  /// share); 0 when it is no difference. A difference keeps the rounding of what it is made of.
  double difference_of = 0.0;
};

/// An assumption that the inputs break, and how, for a sentence.
struct Broken {
  Assumption assumption;
  std::string how;  ///< "stage 0 takes 1.333 times the mean"
};

/// One thing to price. Each kind is one file in kinds/ and one line in kinds.def.
class Scenario {
 public:
  virtual ~Scenario() = default;

  std::string name;         ///< the scenario's name, else the file's stem
  std::string description;  ///< may be empty
  std::string where;  ///< its file ("a.json", "a.toml:1:1"), for messages; empty when built in
  Table resolved;     ///< the inputs with all defaults, SI keys; feeds back to the same result

  [[nodiscard]] virtual std::string_view kind() const = 0;
  [[nodiscard]] virtual Prediction predict() const = 0;

  /// Why there is nothing to run (exit 3); empty when there is.
  [[nodiscard]] virtual std::string not_simulated() const { return {}; }
  /// Tasks of the graph, counted without making it.
  [[nodiscard]] virtual double tasks() const = 0;
  /// Flows under way at once on links that they share: what the run's time grows with.
  [[nodiscard]] virtual double shared_flows() const { return 0.0; }
  /// Flows under way at once, each alone on its links, that the run cannot replace by timers.
  [[nodiscard]] virtual double lone_flows() const { return 0.0; }
  [[nodiscard]] virtual Job lower() const = 0;

  /// The figures of the closed form, in a fixed order, makespan first.
  [[nodiscard]] virtual std::vector<Figure> expected() const = 0;
  /// The same figures of a run, in the same order.
  [[nodiscard]] virtual std::vector<Figure> measured(const Job& job, const TaskTimes& times) const;

  /// The assumptions that the inputs break, by the inputs alone, in the order of the ladder.
  [[nodiscard]] virtual std::vector<Broken> broken() const = 0;
  /// The nearest scenario in which this assumption holds; nullptr when there is none.
  [[nodiscard]] virtual std::unique_ptr<Scenario> repaired(Assumption assumption) const = 0;
};

/// A kind of scenario.
struct KindInfo {
  std::string_view name;     ///< value of `kind`
  std::string_view summary;  ///< one line
  std::unique_ptr<Scenario> (*read)(TableReader& reader);
};

/// All kinds, in the order of kinds.def.
[[nodiscard]] std::span<const KindInfo* const> scenario_kinds();

/// Makespan and bubble of a run, as every kind reports them.
struct RunFigures {
  double makespan = 0.0;       ///< last end, s
  double busy = 0.0;           ///< sum of computation over all devices, s
  std::int64_t computing = 0;  ///< devices that compute
  double last_compute = 0.0;   ///< end of the last computation, s
  double bubble = 0.0;         ///< 1 - busy / (devices that compute * makespan)
};
[[nodiscard]] RunFigures run_figures(const Job& job, const TaskTimes& times);

/// More flows than this at once are not simulated, whatever the limit of tasks: each start and end
/// of one deals the rates out anew, of all that share links, and looks through all that do not.
inline constexpr double most_shared_flows = 4096.0;
inline constexpr double most_lone_flows = 65536.0;

/// Throws Error(unsupported) when there is nothing to run, Error(input) naming the limit when there
/// is too much. Makes no graph.
void require_runnable(const Scenario& scenario, double task_limit);

}  // namespace lockstep
