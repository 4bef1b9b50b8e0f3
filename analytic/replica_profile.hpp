// SPDX-License-Identifier: Apache-2.0
// What one replica does in a step, by the reference: its time, memory, energy and use.
// Layer: analytic (may include platforms only). An input of formula and run alike.
#pragma once
#include <optional>
#include <string_view>

#include "lockstep/analytic/specs/distributed_step.hpp"
#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// Operations of one forward pass (a token, an image, ...) and bytes of the weights.
struct Lowered {
  Flops operations;
  Bytes weights;
};

/// Lowers a workload at an element width.
///
///   base: S given and P absent: (F or 0, S); else (F or 2P, P b)
///   transformer, ssm, embodied: (F or 2P, size);  sparse: (F or 2 P_active, size)
///   cnn: (F, size);  diffusion: ((F or 2P) * denoising steps, size)
///
/// Source: reference, section 0.5.
[[nodiscard]] Lowered lower_workload(const Workload& workload, Bytes width);

/// The profile of one replica of t p x accelerators.
struct ReplicaProfile {
  Seconds latency;  ///< max(compute, memory) + overhead
  Seconds latency_compute;
  Seconds latency_memory;
  Seconds latency_overhead;  ///< dispatch tax + layers * 10 us * 3
  double throughput = 0.0;   ///< sequences a second
  std::string_view bottleneck = "Compute";
  double arithmetic_intensity = 0.0;  ///< flop a byte
  Joules energy;
  Bytes memory_footprint;            ///< of one accelerator
  FlopsPerSecond peak_flops_actual;  ///< R e
  BytesPerSecond peak_bandwidth_actual;
  double mfu = 0.0;
  double hfu = 0.0;
  bool feasible = true;  ///< fits the memory; if not, it is only slower
  std::optional<Bytes> offload_spill;
  std::optional<BytesPerSecond> offload_bandwidth;
  bool overhead_dominated = false;
};

/// Symbols, ranges and formulas: reference, section 6.2.
/// Throws: Error(input) when the workload lacks what its kind needs.
/// Checked by: golden "distributed_model" (node_profile).
[[nodiscard]] ReplicaProfile replica_profile(const DistributedStepSpec& spec);

/// As the reference documents it: keys of node_profile.
[[nodiscard]] Table table_of(const ReplicaProfile& profile);

}  // namespace lockstep
