// SPDX-License-Identifier: Apache-2.0
// Kind "self-contained-replica": the smallest group that holds the training state.
#include "lockstep/analytic/formulas/self_contained_replica.hpp"

#include "lockstep/sim/kinds/without_step.hpp"

namespace lockstep {
namespace {

class ReplicaScenario : public ScenarioWithoutStep {
 public:
  SelfContainedReplicaSpec spec;
  std::string_view kind() const override { return "self-contained-replica"; }
  Prediction predict() const override { return predict_self_contained_replica(spec); }
};

std::unique_ptr<Scenario> read(TableReader& reader) {
  auto scenario = std::make_unique<ReplicaScenario>();
  scenario->spec = read_self_contained_replica(reader);
  return scenario;
}

}  // namespace

extern const KindInfo kind_self_contained_replica;
const KindInfo kind_self_contained_replica{
    .name = "self-contained-replica",
    .summary = "tensor parallel over a node, pipeline until the state fits",
    .read = &read};

}  // namespace lockstep
