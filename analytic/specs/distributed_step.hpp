// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "distributed-step": the arguments of the distributed solver, and the bytes that
// its collectives carry.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/analytic/workload.hpp"
#include "lockstep/platforms/cluster.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

struct DistributedStepSpec {
  Workload workload;
  Cluster fleet;
  std::int64_t used_accelerators = 0;  ///< of the fleet; 0: all of it
  std::int64_t batch_size = 1;         ///< Bg, sequences, >= 1
  std::string precision = "fp16";
  double efficiency = 0.5;            ///< e, 1e-9 to 1
  std::int64_t tp_size = 1;           ///< t, >= 1
  std::int64_t pp_size = 1;           ///< p, >= 1
  std::int64_t ep_size = 1;           ///< x, >= 1
  std::int64_t v_stages = 1;          ///< v, >= 1
  std::int64_t microbatch_count = 1;  ///< m, >= 1
  std::int64_t zero_stage = 0;        ///< 0 to 3; changes memory only
  bool is_lora = false;
  bool activation_recomputation = false;
  bool overlap_comm = false;
  double overlap_efficiency = 0.85;              ///< eta, 0 to 1
  double congestion_factor = 1.0;                ///< >= 0
  double straggler_factor = 1.0;                 ///< > 0; ignored up to 1
  double moe_routing_imbalance_factor = 1.0;     ///< mu, >= 1
  std::int64_t gradient_accumulation_steps = 1;  ///< ga, >= 1
  std::int64_t seq_len = 2048;                   ///< s, >= 1

  /// t p x: accelerators of a replica.
  [[nodiscard]] std::int64_t replica() const { return tp_size * pp_size * ep_size; }
  /// N: accelerators that take part.
  [[nodiscard]] std::int64_t accelerators() const {
    return used_accelerators > 0 ? used_accelerators : fleet.total();
  }
  /// d = N / (t p x): data-parallel replicas.
  [[nodiscard]] std::int64_t dp_size() const { return accelerators() / replica(); }
  /// l = max(1, Bg / d): sequences of a replica.
  [[nodiscard]] std::int64_t local_batch() const;
  /// L/p rounded up, 1 layer when the workload has none.
  [[nodiscard]] std::int64_t layers_a_stage() const;
  /// The straggler factor as it acts: at least 1.
  [[nodiscard]] double slowdown() const { return straggler_factor > 1.0 ? straggler_factor : 1.0; }
  /// Doubtful inputs that the reference prices all the same.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

/// Rates and latencies that the collectives of a step see.
struct DistributedLinks {
  BytesPerSecond intra_rate;  ///< W_in
  Seconds intra_latency;      ///< a_in: the device link's, else 500 ns
  BytesPerSecond inter_rate;  ///< We = W_out / oversubscription
  Seconds inter_latency;      ///< a_out: the fabric's, else 5 us
  Seconds
      hierarchical_intra_latency;  ///< 500 ns whatever the node (the reference's fault M5, kept)
};
[[nodiscard]] DistributedLinks links_of(const Cluster& fleet);

/// How the data-parallel ranks lie on nodes: j a node, k nodes (the reference's fault M18, kept).
struct DataParallelPlacement {
  std::int64_t per_node = 1;  ///< j = max(1, g / (t p x))
  std::int64_t nodes = 1;     ///< k = ceil(d / j)
};
[[nodiscard]] DataParallelPlacement placement_of(const DistributedStepSpec& spec);

/// Mg = size / (t p), 1 % of it under LoRA. Neither x nor the ZeRO stage changes it.
[[nodiscard]] Bytes gradient_message(const DistributedStepSpec& spec);
/// Ma = l s h b: a tensor all-reduce carries the whole local batch.
[[nodiscard]] Bytes tensor_message(const DistributedStepSpec& spec);
/// How many tensor all-reduces a step has: 4 a layer of a stage.
[[nodiscard]] std::int64_t tensor_all_reduces(const DistributedStepSpec& spec);
/// Me = l s h b topk mu: one all-to-all a step.
[[nodiscard]] Bytes expert_message(const DistributedStepSpec& spec);

/// Reads all arguments; `topology_override` is accepted and without effect.
[[nodiscard]] DistributedStepSpec read_distributed_step(TableReader& reader);

/// Why the fleet does not divide into replicas; empty when it does.
[[nodiscard]] std::string fleet_refusal(const DistributedStepSpec& spec);

}  // namespace lockstep
