// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "reference-training-step": fields of the documented ReferenceTrainingStepScenario.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/analytic/specs/distributed_step.hpp"
#include "lockstep/analytic/specs/self_contained_replica.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

struct ReferenceTrainingStepSpec {
  SelfContainedReplicaSpec replica;
  Cluster fleet;
  double batch_tokens = 0.0;                  ///< D, > 0
  std::int64_t batch_divisor = 1;             ///< q_d, >= 1
  std::int64_t sequences_per_microbatch = 1;  ///< u, >= 1
  std::string precision = "fp16";
  double local_efficiency = 0.5;  ///< e, 1e-9 to 1
  bool overlap_comm = false;

  [[nodiscard]] std::int64_t context_length() const;
  /// Whole replicas that fit the fleet; incomplete ones are discarded.
  [[nodiscard]] std::int64_t data_parallel() const {
    return fleet.total() / replica.replica_gpus();
  }
  /// Accelerators of an incomplete replica: idle.
  [[nodiscard]] std::int64_t idle_devices() const { return fleet.total() % replica.replica_gpus(); }
  [[nodiscard]] std::int64_t global_batch_sequences() const;
  [[nodiscard]] std::int64_t microbatches_per_replica() const;
  /// The arguments of the distributed solver; it gets dp x replica accelerators.
  [[nodiscard]] DistributedStepSpec solver() const;
  [[nodiscard]] std::vector<std::string> warnings() const;
};

[[nodiscard]] ReferenceTrainingStepSpec read_reference_training_step(TableReader& reader);

}  // namespace lockstep
