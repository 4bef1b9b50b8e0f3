// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/distributed_step.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/all_to_all.hpp"
#include "lockstep/analytic/formulas/guards.hpp"
#include "lockstep/analytic/formulas/hierarchical_all_reduce.hpp"
#include "lockstep/analytic/formulas/pipeline_bubble.hpp"
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"
#include "lockstep/analytic/replica_profile.hpp"

namespace lockstep {

extern const FormulaInfo formula_distributed_step;
const FormulaInfo formula_distributed_step{
    .name = "distributed_step",
    .statement = "T = (latency + DP (1-eta) + TP + EP + latency b/(1-b)) * straggler",
    .symbols = {{"latency", "of a replica: max(compute, memory) + overhead, s"},
                {"DP, TP, EP", "data, tensor and expert parallel communication, s"},
                {"eta", "share of DP that overlaps, 0 to 1; 0 without overlap"},
                {"b", "pipeline_bubble(p, m, v)"}},
    .assumptions = {Assumption::equal_stages, Assumption::free_pipeline_transfers,
                    Assumption::tensor_collectives_once_per_step,
                    Assumption::tensor_rings_at_one_rate, Assumption::private_links,
                    Assumption::fixed_overlap_share, Assumption::hidden_share_fits,
                    Assumption::full_nodes, Assumption::uniform_devices, Assumption::no_jitter,
                    Assumption::global_straggler, Assumption::amortised_accumulation,
                    Assumption::microbatches_divide_stages},
    .source = "mlsysim 0.3.0, DistributedModel.solve"};

namespace {

struct Communication {
  Seconds data;
  Seconds tensor;
  Seconds expert;
};

Seconds data_time(const DistributedStepSpec& spec, const DistributedLinks& links) {
  const std::int64_t d = spec.dp_size();
  if (d == 1) return Seconds(0.0);
  const Bytes message = gradient_message(spec);
  const DataParallelPlacement placement = placement_of(spec);
  if (placement.nodes == 1)
    return ring_all_reduce(message, d, links.intra_rate, links.intra_latency);
  if (placement.per_node == 1)
    return ring_all_reduce(message, d, links.inter_rate, links.inter_latency);
  return hierarchical_all_reduce(message, placement.nodes, placement.per_node,
                                 {links.intra_rate, links.hierarchical_intra_latency},
                                 {links.inter_rate, links.inter_latency});
}

Communication communication_of(const DistributedStepSpec& spec) {
  const DistributedLinks links = links_of(spec.fleet);
  const bool inside = spec.tp_size <= spec.fleet.accelerators_per_node;
  Communication part;
  part.data = data_time(spec, links) * spec.congestion_factor;
  if (spec.gradient_accumulation_steps > 1)
    part.data = part.data / static_cast<double>(spec.gradient_accumulation_steps);
  if (spec.tp_size > 1)
    part.tensor = ring_all_reduce(tensor_message(spec), spec.tp_size,
                                  inside ? links.intra_rate : links.inter_rate,
                                  inside ? links.intra_latency : links.inter_latency) *
                  static_cast<double>(tensor_all_reduces(spec)) * spec.congestion_factor;
  if (spec.ep_size > 1)
    part.expert =
        all_to_all(expert_message(spec), spec.ep_size, links.inter_rate, links.inter_latency) *
        spec.congestion_factor;
  return part;
}

void guard(const DistributedStepSpec& spec) {
  guard_at_least("tp_size", spec.tp_size, 1);
  guard_at_least("pp_size", spec.pp_size, 1);
  guard_at_least("ep_size", spec.ep_size, 1);
  guard_at_least("batch_size", spec.batch_size, 1);
  guard_at_least("gradient_accumulation_steps", spec.gradient_accumulation_steps, 1);
  guard_in("efficiency", spec.efficiency, 1e-9, 1.0);
  guard_in("overlap_efficiency", spec.overlap_efficiency, 0.0, 1.0);
  guard_non_negative("congestion_factor", spec.congestion_factor);
  guard_positive("straggler_factor", spec.straggler_factor);
  guard_in("moe_routing_imbalance_factor", spec.moe_routing_imbalance_factor, 1.0, 1e300);
  guard_at_least("seq_len", spec.seq_len, 1);
  guard_in("zero_stage", static_cast<double>(spec.zero_stage), 0.0, 3.0);
  const std::string refusal = fleet_refusal(spec);
  if (!refusal.empty()) throw Error(ErrorKind::input, refusal, "fleet");
}

Table parallelism_of(const DistributedStepSpec& spec) {
  Table out;
  out.set("dp", spec.dp_size());
  out.set("tp", spec.tp_size);
  out.set("pp", spec.pp_size);
  out.set("ep", spec.ep_size);
  return out;
}

}  // namespace

Prediction predict_distributed_step(const DistributedStepSpec& spec) {
  guard(spec);
  const ReplicaProfile profile = replica_profile(spec);
  const Communication part = communication_of(spec);
  const double bubble = pipeline_bubble(spec.pp_size, spec.microbatch_count, spec.v_stages);
  const Seconds bubble_time =
      spec.pp_size > 1 ? profile.latency * bubble / (1.0 - bubble) : Seconds(0.0);
  const Seconds exposed =
      spec.overlap_comm ? part.data * (1.0 - spec.overlap_efficiency) : part.data;
  const Seconds even = profile.latency + exposed + part.tensor + part.expert + bubble_time;
  const Seconds step = even * spec.slowdown();
  const double scaling = profile.latency / step;

  Prediction prediction;
  prediction.formula = "distributed_step";
  prediction.assumptions = formula_distributed_step.assumptions;
  prediction.warnings = spec.warnings();
  prediction.terms = {{"computation", profile.latency},
                      {"exposed data-parallel communication", exposed},
                      {"tensor-parallel communication", part.tensor},
                      {"expert-parallel communication", part.expert},
                      {"pipeline bubble", bubble_time},
                      {"straggler", step - even}};
  Table& out = prediction.outputs;
  out.set("dp_communication_latency_s", part.data.si());
  out.set("tp_communication_latency_s", part.tensor.si());
  out.set("ep_communication_latency_s", part.expert.si());
  out.set("communication_latency_s", (part.data + part.tensor + part.expert).si());
  out.set("pipeline_bubble_latency_s", bubble_time.si());
  out.set("bubble_fraction", bubble);
  out.set("step_latency_total_s", step.si());
  out.set("scaling_efficiency", scaling);
  out.set("effective_throughput_per_s",
          static_cast<double>(spec.dp_size()) * profile.throughput * scaling);
  out.set("parallelism", Value(parallelism_of(spec)));
  out.set("node_profile", Value(table_of(profile)));
  return prediction;
}

}  // namespace lockstep
