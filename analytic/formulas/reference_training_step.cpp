// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/reference_training_step.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/distributed_step.hpp"

namespace lockstep {

extern const FormulaInfo formula_reference_training_step;
const FormulaInfo formula_reference_training_step{
    .name = "reference_training_step",
    .statement = "S = (D/c // q) q, m = S // (dp u), T = distributed_step(S, m, ...)",
    .symbols = {{"D", "tokens a batch, > 0"},
                {"c", "context length, tokens"},
                {"q", "batch divisor, >= 1"},
                {"u", "sequences a microbatch, >= 1"},
                {"dp", "whole replicas in the fleet"}},
    .assumptions = {Assumption::equal_stages, Assumption::free_pipeline_transfers,
                    Assumption::tensor_collectives_once_per_step,
                    Assumption::tensor_rings_at_one_rate, Assumption::private_links,
                    Assumption::fixed_overlap_share, Assumption::hidden_share_fits,
                    Assumption::full_nodes, Assumption::uniform_devices, Assumption::no_jitter,
                    Assumption::global_straggler, Assumption::amortised_accumulation,
                    Assumption::microbatches_divide_stages, Assumption::whole_microbatches},
    .source = "mlsysim documentation, ReferenceTrainingStepScenario"};

Prediction predict_reference_training_step(const ReferenceTrainingStepSpec& spec) {
  Prediction prediction = predict_distributed_step(spec.solver());
  Table result = std::move(prediction.outputs);
  const auto gpus = static_cast<double>(spec.replica.replica_gpus());
  Table out;
  out.set("tensor_parallel", spec.replica.tensor_parallel());
  out.set("pipeline_depth", spec.replica.pipeline_depth());
  out.set("replica_gpus", spec.replica.replica_gpus());
  out.set("data_parallel", spec.data_parallel());
  out.set("context_length", spec.context_length());
  out.set("global_batch_sequences", spec.global_batch_sequences());
  out.set("global_batch_tokens", spec.global_batch_sequences() * spec.context_length());
  out.set("microbatches_per_replica", spec.microbatches_per_replica());
  out.set("state_per_gpu_bytes", (spec.replica.state() / gpus).si());
  out.set("step_time_s", std::get<double>(result.find("step_latency_total_s")->data()));
  out.set("result", Value(std::move(result)));
  prediction.formula = "reference_training_step";
  prediction.assumptions.push_back(Assumption::whole_microbatches);
  prediction.warnings = spec.warnings();
  prediction.outputs = std::move(out);
  return prediction;
}

}  // namespace lockstep
