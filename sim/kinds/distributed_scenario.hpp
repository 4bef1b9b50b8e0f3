// SPDX-License-Identifier: Apache-2.0
// What the kinds "distributed-step" and "reference-training-step" share: the solver's step.
// Layer: sim/kinds.
#pragma once
#include <memory>
#include <vector>

#include "lockstep/analytic/specs/distributed_step.hpp"
#include "lockstep/sim/lower/distributed_step.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {

/// A step of the distributed solver, however its arguments were found.
class DistributedScenario : public Scenario {
 public:
  DistributedStepSpec spec;
  Fidelity fidelity = Fidelity::flows;

  [[nodiscard]] std::string_view kind() const override { return "distributed-step"; }
  [[nodiscard]] Prediction predict() const override;
  [[nodiscard]] double tasks() const override { return task_count(spec, run()); }
  [[nodiscard]] Job lower() const override { return lower_distributed_step(spec, run()); }
  [[nodiscard]] std::vector<Figure> expected() const override;
  [[nodiscard]] std::vector<Figure> measured(const Job& job, const TaskTimes& times) const override;
  [[nodiscard]] std::vector<Broken> broken() const override;
  [[nodiscard]] std::unique_ptr<Scenario> repaired(Assumption assumption) const override;

 private:
  [[nodiscard]] DistributedRun run() const;
};

}  // namespace lockstep
