// SPDX-License-Identifier: Apache-2.0
// Kind "training-memory": what one accelerator must hold.
#include "lockstep/analytic/formulas/training_memory.hpp"

#include "lockstep/sim/kinds/without_step.hpp"

namespace lockstep {
namespace {

class MemoryScenario : public ScenarioWithoutStep {
 public:
  TrainingMemorySpec spec;
  std::string_view kind() const override { return "training-memory"; }
  Prediction predict() const override { return predict_training_memory(spec); }
};

std::unique_ptr<Scenario> read(TableReader& reader) {
  auto scenario = std::make_unique<MemoryScenario>();
  scenario->spec = read_training_memory(reader);
  return scenario;
}

}  // namespace

extern const KindInfo kind_training_memory;
const KindInfo kind_training_memory{.name = "training-memory",
                                    .summary = "the memory of one accelerator in training",
                                    .read = &read};

}  // namespace lockstep
