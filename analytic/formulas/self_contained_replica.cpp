// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/self_contained_replica.hpp"

#include "lockstep/analytic/formulas.hpp"

namespace lockstep {

extern const FormulaInfo formula_self_contained_replica;
const FormulaInfo formula_self_contained_replica{
    .name = "self_contained_replica",
    .statement = "depth = smallest 2^i with P q / (g 2^i) <= C",
    .symbols = {{"P", "parameters, in the unit they were entered in"},
                {"q", "bytes a parameter, > 0"},
                {"g", "accelerators a node, >= 1"},
                {"C", "memory of an accelerator, byte, > 0"}},
    .assumptions = {},
    .source = "mlsysim 0.3.0, SelfContainedReplicaScenario"};

Prediction predict_self_contained_replica(const SelfContainedReplicaSpec& spec) {
  Prediction prediction;
  prediction.formula = "self_contained_replica";
  prediction.outputs.set("tensor_parallel", spec.tensor_parallel());
  prediction.outputs.set("pipeline_depth", spec.pipeline_depth());
  prediction.outputs.set("replica_gpus", spec.replica_gpus());
  return prediction;
}

}  // namespace lockstep
