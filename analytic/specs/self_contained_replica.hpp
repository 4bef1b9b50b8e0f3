// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "self-contained-replica": the smallest group that holds the training state.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>

#include "lockstep/analytic/workload.hpp"
#include "lockstep/platforms/cluster.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

struct SelfContainedReplicaSpec {
  Workload workload;
  Cluster fleet;
  Bytes bytes_per_param{16.0};  ///< q, > 0

  /// P_raw q: bytes of the whole state, by the parameters' raw magnitude (trap T3).
  [[nodiscard]] Bytes state() const { return workload.parameters_raw_magnitude * bytes_per_param; }
  /// One node: accelerators_per_node.
  [[nodiscard]] std::int64_t tensor_parallel() const { return fleet.accelerators_per_node; }
  /// The first power of two at which the state of one accelerator fits its memory.
  [[nodiscard]] std::int64_t pipeline_depth() const;
  [[nodiscard]] std::int64_t replica_gpus() const { return tensor_parallel() * pipeline_depth(); }
};

[[nodiscard]] SelfContainedReplicaSpec read_self_contained_replica(TableReader& reader);

}  // namespace lockstep
