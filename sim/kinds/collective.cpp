// SPDX-License-Identifier: Apache-2.0
// Kind "collective": one collective operation, priced alone or beside equal ones on the same links.
#include "lockstep/sim/lower/collective.hpp"

#include <fmt/format.h>

#include "lockstep/analytic/formulas/double_binary_tree_all_reduce.hpp"
#include "lockstep/sim/kinds/simulation_table.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {
namespace {

class CollectiveScenario : public Scenario {
 public:
  CollectiveSpec spec;
  CollectiveRun run;  // without an algorithm: a closed form alone

  std::string_view kind() const override { return "collective"; }
  Prediction predict() const override {
    const Seconds time = closed_form();
    Prediction prediction;
    if (run.algorithm != nullptr) {
      prediction.formula = run.algorithm->claim.formula;
      prediction.assumptions = run.algorithm->claim.assumptions;
    } else {
      prediction.formula = "double_binary_tree_all_reduce";
      prediction.assumptions = {Assumption::private_links, Assumption::flat_latency,
                                Assumption::fitted_constants};
    }
    prediction.terms = {{spec.function, time}};
    prediction.outputs.set("time_s", time.si());
    return prediction;
  }
  std::string not_simulated() const override {
    if (run.algorithm != nullptr) return {};
    return spec.function + " has a closed form with fitted constants and no algorithm to run yet";
  }
  double tasks() const override { return task_count(spec, run); }
  double shared_flows() const override {
    const bool shared = run.concurrent > 1 && run.fidelity != Fidelity::formula;
    return shared ? static_cast<double>(run.concurrent) * static_cast<double>(spec.ranks) : 0.0;
  }
  double lone_flows() const override {
    const bool alone = run.concurrent == 1 && run.fidelity != Fidelity::formula;
    return alone && run.algorithm->steps_in_sequence ? static_cast<double>(spec.ranks) : 0.0;
  }
  Job lower() const override {
    CollectiveRun chosen = run;
    if (run.fidelity == Fidelity::formula) chosen.closed_form = closed_form();
    return lower_collective(spec, chosen);
  }
  std::vector<Figure> expected() const override { return {{"makespan_s", closed_form().si()}}; }
  std::vector<Broken> broken() const override {
    if (run.concurrent == 1) return {};
    return {{Assumption::private_links,
             fmt::format("{} equal collectives share the links", run.concurrent)}};
  }
  std::unique_ptr<Scenario> repaired(Assumption assumption) const override {
    if (assumption != Assumption::private_links) return nullptr;
    auto copy = std::make_unique<CollectiveScenario>(*this);
    copy->run.concurrent = 1;
    return copy;
  }

 private:
  Seconds closed_form() const {
    if (run.algorithm == nullptr)
      return double_binary_tree_all_reduce(spec.message, spec.ranks, spec.near.rate,
                                           spec.near.latency);
    return run.algorithm->closed_form(spec.message, shape_of(spec), spec.near, spec.far);
  }
};

const CollectiveInfo* algorithm_of(const std::string& function) {
  for (const CollectiveInfo* info : collectives())
    if (info->function == function) return info;
  return nullptr;
}

std::unique_ptr<Scenario> read(TableReader& reader) {
  constexpr std::int64_t most_concurrent = 10'000;
  auto scenario = std::make_unique<CollectiveScenario>();
  scenario->spec = read_collective(reader);
  scenario->run.algorithm = algorithm_of(scenario->spec.function);
  read_simulation(reader, [&](TableReader& simulation) {
    scenario->run.fidelity = read_fidelity(simulation);
    scenario->run.concurrent = simulation.count("concurrent", 1, 1, most_concurrent);
    if (scenario->run.concurrent > 1 && scenario->run.fidelity == Fidelity::formula)
      simulation.problem("concurrent", "concurrent has no effect at fidelity \"formula\"",
                         "choose flows or steps: sharing is a result of the run");
  });
  return scenario;
}

}  // namespace

extern const KindInfo kind_collective;
const KindInfo kind_collective{.name = "collective",
                               .summary = "one collective operation on links of one or two rates",
                               .read = &read};

}  // namespace lockstep
