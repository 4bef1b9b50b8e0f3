// SPDX-License-Identifier: Apache-2.0
// Kind "reference-training-step": one optimizer step of a reference pretraining job.
#include "lockstep/analytic/formulas/reference_training_step.hpp"

#include "lockstep/sim/kinds/distributed_scenario.hpp"
#include "lockstep/sim/kinds/simulation_table.hpp"

namespace lockstep {
namespace {

class ReferenceScenario : public DistributedScenario {
 public:
  ReferenceTrainingStepSpec reference;
  std::string_view kind() const override { return "reference-training-step"; }
  Prediction predict() const override { return predict_reference_training_step(reference); }
};

std::unique_ptr<Scenario> read(TableReader& reader) {
  auto scenario = std::make_unique<ReferenceScenario>();
  const std::size_t before = reader.problems().size();
  scenario->reference = read_reference_training_step(reader);
  if (reader.problems().size() == before) scenario->spec = scenario->reference.solver();
  read_simulation(reader,
                  [&](TableReader& simulation) { scenario->fidelity = read_fidelity(simulation); });
  return scenario;
}

}  // namespace

extern const KindInfo kind_reference_training_step;
const KindInfo kind_reference_training_step{
    .name = "reference-training-step",
    .summary = "one optimizer step of a reference pretraining job on a fleet",
    .read = &read};

}  // namespace lockstep
