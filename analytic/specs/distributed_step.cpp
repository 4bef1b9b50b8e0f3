// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/distributed_step.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/analytic/precision.hpp"

namespace lockstep {
namespace {

constexpr double nvlink_class_latency = 500e-9;   // s; reference section 0.6
constexpr double fallback_fabric_latency = 5e-6;  // s, the NDR fabric's; reference section 0.6
constexpr std::int64_t fallback_hidden = 4096;    // reference sections 6.3 and 6.4
constexpr std::int64_t tensor_all_reduces_a_layer = 4;  // 2 forward, 2 backward

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

Bytes width_of(const DistributedStepSpec& spec) {
  return bytes_per_element(spec.precision).value_or(Bytes(2.0));
}

double hidden_of(const DistributedStepSpec& spec) {
  return static_cast<double>(spec.workload.hidden_dim.value_or(fallback_hidden));
}

}  // namespace

std::int64_t DistributedStepSpec::local_batch() const {
  return std::max<std::int64_t>(1, batch_size / dp_size());
}

std::int64_t DistributedStepSpec::layers_a_stage() const {
  return ceil_div(workload.layers.value_or(1), pp_size);
}

std::vector<std::string> DistributedStepSpec::warnings() const {
  std::vector<std::string> list;
  if (batch_size < dp_size())
    list.push_back(
        fmt::format("batch_size {} is below the {} data-parallel replicas: each is priced "
                    "with one sequence, so more are trained than there are",
                    batch_size, dp_size()));
  else if (batch_size % dp_size() != 0)
    list.push_back(
        fmt::format("whole_microbatches: {} of {} sequences are not priced: {} replicas take "
                    "{} each",
                    batch_size % dp_size(), batch_size, dp_size(), local_batch()));
  if (ep_size > 1 && workload.kind != WorkloadKind::sparse_transformer)
    list.push_back(
        fmt::format("ep_size {} on a model without experts divides its computation, as "
                    "the reference does",
                    ep_size));
  if (straggler_factor < 1.0)
    list.push_back("straggler_factor below 1 has no effect, as in the reference");
  return list;
}

DistributedLinks links_of(const Cluster& fleet) {
  DistributedLinks links;
  links.intra_rate = fleet.intra_node_bw;
  links.intra_latency = Seconds(nvlink_class_latency);
  if (fleet.accelerator.device_link)
    links.intra_latency =
        fleet.accelerator.device_link->latency.value_or(Seconds(nvlink_class_latency));
  links.inter_rate = fleet.fabric.bandwidth / fleet.fabric.oversubscription_ratio;
  links.inter_latency = fleet.fabric.latency.value_or(Seconds(fallback_fabric_latency));
  links.hierarchical_intra_latency = Seconds(nvlink_class_latency);
  return links;
}

DataParallelPlacement placement_of(const DistributedStepSpec& spec) {
  DataParallelPlacement placement;
  placement.per_node = std::max<std::int64_t>(1, spec.fleet.accelerators_per_node / spec.replica());
  placement.nodes = ceil_div(spec.dp_size(), placement.per_node);
  return placement;
}

Bytes gradient_message(const DistributedStepSpec& spec) {
  constexpr double lora_share = 0.01;  // reference section 6.4
  const Bytes shard = size_at_width(spec.workload, width_of(spec)) /
                      static_cast<double>(spec.tp_size * spec.pp_size);
  return spec.is_lora ? lora_share * shard : shard;
}

Bytes tensor_message(const DistributedStepSpec& spec) {
  return static_cast<double>(spec.local_batch()) * static_cast<double>(spec.seq_len) *
         hidden_of(spec) * width_of(spec);
}

std::int64_t tensor_all_reduces(const DistributedStepSpec& spec) {
  return tensor_all_reduces_a_layer * spec.layers_a_stage();
}

Bytes expert_message(const DistributedStepSpec& spec) {
  const auto experts = static_cast<double>(spec.workload.active_experts_per_token.value_or(1));
  return tensor_message(spec) * (experts * spec.moe_routing_imbalance_factor);
}

std::string fleet_refusal(const DistributedStepSpec& spec) {
  const std::int64_t group = spec.replica();
  const std::int64_t total = spec.accelerators();
  if (group > total)
    return fmt::format("a replica needs tp x pp x ep = {} accelerators; the fleet has {}", group,
                       total);
  if (total % group == 0) return {};
  return fmt::format(
      "tp x pp x ep = {} does not divide the fleet's {} accelerators ({} would stay "
      "idle); {} would do",
      group, total, total % group, total - total % group);
}

namespace {

void read_layout(TableReader& reader, DistributedStepSpec& spec) {
  constexpr std::int64_t most = 1'000'000;  // keeps t p x and v m exact
  spec.tp_size = reader.count("tp_size", 1, 1, most);
  spec.pp_size = reader.count("pp_size", 1, 1, most);
  spec.ep_size = reader.count("ep_size", 1, 1, most);
  spec.v_stages = reader.count("v_stages", 1, 1, most);
  spec.microbatch_count = reader.count("microbatch_count", 1);
  spec.zero_stage = reader.count("zero_stage", 0, 0, 3);
}

void check_workload(TableReader& reader, const DistributedStepSpec& spec) {
  const Workload& workload = spec.workload;
  if (workload.name.empty()) return;  // a problem is recorded already
  if (workload.is_transformer() && !workload.parameters)
    reader.problem("workload", "a transformer needs its parameters");
  if (workload.kind == WorkloadKind::cnn && !workload.inference_flops)
    reader.problem("workload", "a CNN needs its inference_flops");
  if (workload.kind == WorkloadKind::sparse_transformer && !workload.inference_flops &&
      !workload.active_parameters)
    reader.problem("workload", "a sparse transformer needs active_parameters or inference_flops");
}

}  // namespace

DistributedStepSpec read_distributed_step(TableReader& reader) {
  DistributedStepSpec spec;
  spec.workload = read_workload(reader);
  spec.fleet = read_cluster(reader);
  spec.batch_size = reader.count("batch_size", 1);
  spec.precision = read_precision(reader, "precision", "fp16");
  spec.efficiency = reader.number("efficiency", Bound{1e-9, false, 1.0}, 0.5);
  read_layout(reader, spec);
  spec.is_lora = reader.flag("is_lora", false);
  spec.activation_recomputation = reader.flag("activation_recomputation", false);
  spec.overlap_comm = reader.flag("overlap_comm", false);
  spec.overlap_efficiency = reader.number("overlap_efficiency", fraction, 0.85);
  spec.congestion_factor = reader.number("congestion_factor", non_negative, 1.0);
  spec.straggler_factor = reader.number("straggler_factor", positive, 1.0);
  spec.moe_routing_imbalance_factor =
      reader.number("moe_routing_imbalance_factor", Bound{1.0, false}, 1.0);
  spec.gradient_accumulation_steps = reader.count("gradient_accumulation_steps", 1);
  spec.seq_len = reader.count("seq_len", 2048);
  static_cast<void>(reader.optional_text("topology_override"));
  check_workload(reader, spec);
  const std::string refusal = fleet_refusal(spec);
  if (!refusal.empty()) reader.problem("tp_size", refusal);
  return spec;
}

}  // namespace lockstep
