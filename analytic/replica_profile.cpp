// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/replica_profile.hpp"

#include <algorithm>

#include "lockstep/analytic/formulas/roofline.hpp"
#include "lockstep/analytic/formulas/training_memory.hpp"
#include "lockstep/analytic/precision.hpp"
#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

constexpr double framework_layer_tax = 10e-6;     // s a layer and pass; reference section 0.7
constexpr double passes = 3.0;                    // forward, and backward at twice its work
constexpr double idle_energy_share = 0.3;         // reference section 0.7
constexpr double fallback_host_link = 64e9;       // byte/s; reference section 0.7
constexpr double activation_traffic_share = 0.1;  // a local sample; reference section 0.7

bool given(const std::optional<Flops>& flops) {
  return flops && flops->si() != 0.0;
}

Flops operations_of(const Workload& workload) {
  if (given(workload.inference_flops)) return *workload.inference_flops;
  if (workload.kind == WorkloadKind::cnn)
    throw Error(ErrorKind::input, "a CNN needs its inference_flops");
  const bool sparse = workload.kind == WorkloadKind::sparse_transformer;
  const auto& parameters = sparse ? workload.active_parameters : workload.parameters;
  if (parameters) return Flops(2.0 * *parameters);
  if (workload.kind == WorkloadKind::base && workload.model_size) return Flops(0.0);
  throw Error(ErrorKind::input, "workload " + workload.name +
                                    (sparse ? " needs active_parameters or inference_flops"
                                            : " needs parameters or inference_flops"));
}

// Everything about one replica that both paths of section 6.2 need.
struct Inputs {
  const DistributedStepSpec& spec;
  Bytes width;
  Lowered work;
  FlopsPerSecond rate;  // R
  double accelerators;  // r
  double samples;       // l
};

Inputs inputs_of(const DistributedStepSpec& spec) {
  const Bytes width = bytes_per_element(spec.precision).value_or(Bytes(2.0));
  const Accelerator& accelerator = spec.fleet.accelerator;
  return {spec,
          width,
          lower_workload(spec.workload, width),
          accelerator.rate_at(lower_case(spec.precision)).value_or(accelerator.peak),
          static_cast<double>(spec.replica()),
          static_cast<double>(spec.local_batch())};
}

Bytes transformer_need(const Inputs& in) {
  const DistributedStepSpec& spec = in.spec;
  TrainingMemorySpec memory;
  memory.workload = spec.workload;
  memory.batch_size = spec.local_batch() * spec.dp_size();
  memory.seq_len = spec.seq_len;
  memory.precision = spec.precision;
  memory.activation_checkpointing =
      spec.activation_recomputation ? Recompute::full : Recompute::selective;
  memory.tp_size = spec.tp_size;
  memory.pp_size = spec.pp_size;
  memory.dp_size = spec.dp_size();
  memory.ep_size = spec.ep_size;
  memory.zero_stage = spec.zero_stage;
  const std::int64_t flight =
      spec.pp_size > 1 ? std::max<std::int64_t>(1, spec.microbatch_count / spec.pp_size) : 1;
  memory.gradient_accumulation_steps = spec.gradient_accumulation_steps * flight;
  if (spec.is_lora) {
    constexpr double lora_rank = 16.0;  // reference section 0.7
    const auto hidden = static_cast<double>(spec.workload.hidden_dim.value_or(4096));
    const auto layers = static_cast<double>(spec.workload.layers.value_or(0));
    memory.trainable_fraction =
        std::min(1.0, 2.0 * lora_rank * hidden * 4.0 * layers / *spec.workload.parameters);
  }
  return training_memory(memory).total();
}

// Decides feasibility and, when the memory overflows, the bandwidth of the slower host link.
void place_in_memory(const Inputs& in, Bytes need, BytesPerSecond bandwidth,
                     ReplicaProfile& profile) {
  const Accelerator& accelerator = in.spec.fleet.accelerator;
  profile.memory_footprint = need;
  profile.feasible = need <= accelerator.memory_capacity;
  profile.peak_bandwidth_actual = bandwidth;
  if (profile.feasible) return;
  const BytesPerSecond host = accelerator.host_link ? accelerator.host_link->per_direction()
                                                    : BytesPerSecond(fallback_host_link);
  profile.offload_spill = need - accelerator.memory_capacity;
  profile.peak_bandwidth_actual = std::min(accelerator.memory_bandwidth, host);
  profile.offload_bandwidth = profile.peak_bandwidth_actual;
}

// Bandwidth of the nearest memory that holds the weights of a one-accelerator replica.
BytesPerSecond nearest_bandwidth(const Inputs& in) {
  const Accelerator& accelerator = in.spec.fleet.accelerator;
  if (accelerator.sram_capacity && accelerator.sram_bandwidth &&
      in.work.weights <= *accelerator.sram_capacity)
    return *accelerator.sram_bandwidth;
  return accelerator.flash_bandwidth.value_or(accelerator.memory_bandwidth);
}

struct Work {
  Flops model;     // what the model needs
  Flops hardware;  // what is executed, recomputation included
  Bytes traffic;   // of one accelerator
};

// Path A: a transformer, or more than one accelerator a replica.
Work shared_path(const Inputs& in, ReplicaProfile& profile) {
  const DistributedStepSpec& spec = in.spec;
  const double tokens = spec.workload.is_transformer() ? static_cast<double>(spec.seq_len) : 1.0;
  const Flops base = in.work.operations * tokens;
  const double executed = spec.activation_recomputation ? passes + 1.0 : passes;
  const Bytes need =
      spec.workload.is_transformer()
          ? transformer_need(in)
          : (2.0 * in.work.weights + 12.0 * in.work.weights / in.width.si()) / in.accelerators;
  place_in_memory(in, need, spec.fleet.accelerator.memory_bandwidth, profile);
  const Bytes shard = in.work.weights / in.accelerators;
  return {passes * in.samples * base, executed * in.samples * base,
          shard + activation_traffic_share * in.samples * shard};
}

// Path B: anything else on one accelerator. Sequence length, ZeRO and the like do not enter.
Work single_path(const Inputs& in, ReplicaProfile& profile) {
  const DistributedStepSpec& spec = in.spec;
  const double executed = spec.activation_recomputation ? passes + 1.0 : passes;
  const Bytes need = spec.is_lora ? 1.1 * in.work.weights
                                  : 2.0 * in.work.weights + 12.0 * in.work.weights / in.width.si();
  place_in_memory(in, need, nearest_bandwidth(in), profile);
  return {passes * in.samples * in.work.operations, executed * in.samples * in.work.operations,
          in.work.weights + activation_traffic_share * in.samples * in.work.weights};
}

double share(double value) {
  return std::clamp(value, 0.0, 1.0);
}

void add_use(const Inputs& in, const Work& work, ReplicaProfile& profile) {
  const auto possible = profile.latency * in.rate * in.accelerators;
  profile.throughput = in.samples / profile.latency.si();
  profile.mfu = share(work.model / possible);
  profile.hfu = share(work.hardware / possible);
  const Watts tdp = in.spec.fleet.accelerator.tdp.value_or(Watts(0.0));
  profile.energy = tdp * (idle_energy_share + (1.0 - idle_energy_share) * profile.hfu) *
                   in.accelerators * profile.latency;
  const Roofline bound = roofline(work.hardware / in.accelerators, work.traffic,
                                  profile.peak_flops_actual, profile.peak_bandwidth_actual);
  profile.bottleneck = bound.label;
  profile.arithmetic_intensity = bound.intensity;
}

}  // namespace

Lowered lower_workload(const Workload& workload, Bytes width) {
  Flops operations = operations_of(workload);
  if (workload.kind == WorkloadKind::diffusion)
    operations = operations * static_cast<double>(workload.denoising_steps.value_or(1));
  const bool by_parameters = workload.kind == WorkloadKind::base && workload.parameters.has_value();
  return {operations,
          by_parameters ? *workload.parameters * width : size_at_width(workload, width)};
}

ReplicaProfile replica_profile(const DistributedStepSpec& spec) {
  const Inputs in = inputs_of(spec);
  ReplicaProfile profile;
  const bool shared = spec.workload.is_transformer() || spec.replica() > 1;
  const Work work = shared ? shared_path(in, profile) : single_path(in, profile);
  profile.peak_flops_actual = in.rate * spec.efficiency;
  profile.latency_compute = work.hardware / (profile.peak_flops_actual * in.accelerators);
  profile.latency_memory = work.traffic / profile.peak_bandwidth_actual;
  const auto layers = static_cast<double>(spec.workload.layers.value_or(1));
  profile.latency_overhead =
      spec.fleet.accelerator.dispatch_tax + Seconds(layers * framework_layer_tax * passes);
  const Seconds longer = std::max(profile.latency_compute, profile.latency_memory);
  profile.latency = longer + profile.latency_overhead;
  profile.overhead_dominated = profile.latency_overhead > longer;
  add_use(in, work, profile);
  return profile;
}

Table table_of(const ReplicaProfile& profile) {
  Table out;
  out.set("latency_s", profile.latency.si());
  out.set("latency_compute_s", profile.latency_compute.si());
  out.set("latency_memory_s", profile.latency_memory.si());
  out.set("latency_overhead_s", profile.latency_overhead.si());
  out.set("throughput_per_s", profile.throughput);
  out.set("bottleneck", profile.bottleneck);
  out.set("arithmetic_intensity_flop_per_byte", profile.arithmetic_intensity);
  out.set("energy_j", profile.energy.si());
  out.set("memory_footprint_bytes", profile.memory_footprint.si());
  out.set("peak_flops_actual_per_s", profile.peak_flops_actual.si());
  out.set("peak_bw_actual_bytes_per_s", profile.peak_bandwidth_actual.si());
  out.set("mfu", profile.mfu);
  out.set("hfu", profile.hfu);
  out.set("feasible", profile.feasible);
  if (profile.offload_spill) out.set("offload_spill_bytes", profile.offload_spill->si());
  if (profile.offload_bandwidth)
    out.set("offload_effective_bw_bytes_per_s", profile.offload_bandwidth->si());
  out.set("overhead_dominated", profile.overhead_dominated);
  return out;
}

}  // namespace lockstep
