// SPDX-License-Identifier: Apache-2.0
// A step of the distributed solver becomes a task graph.
// Layer: sim/lower.
#pragma once
#include "lockstep/analytic/specs/distributed_step.hpp"
#include "lockstep/sim/lower/job.hpp"
#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {

/// The `[simulation]` table of kinds "distributed-step" and "reference-training-step", and the
/// latency of a replica, which run and formula share (reference, section 6.2).
struct DistributedRun {
  const ScheduleInfo* schedule = nullptr;
  Fidelity fidelity = Fidelity::flows;
  Seconds replica_latency;
  /// Used at fidelity `formula` only: one data-parallel reduction, one tensor all-reduce, the
  /// all-to-all.
  Seconds data_closed_form;
  Seconds tensor_closed_form;
  Seconds expert_closed_form;
};

/// The pipeline of one replica (slots of latency/(m v), forward a third, backward two), then the
/// tensor all-reduces, the expert all-to-all and what of the data-parallel reduction is exposed;
/// what overlaps starts with the step. One representative of each group whose ranks lie alike on
/// nodes is run, each dimension on links of its own. Ranks are contiguous: tensor fastest, then the
/// rest of the replica, then replicas. A data-parallel group that fills whole nodes reduces
/// hierarchically; one alone on its nodes, or unevenly spread, in a ring over the hops that its
/// ranks really have.
[[nodiscard]] Job lower_distributed_step(const DistributedStepSpec& spec,
                                         const DistributedRun& run);
[[nodiscard]] double task_count(const DistributedStepSpec& spec, const DistributedRun& run);

/// First ranks of those of `groups` groups, `distance` ranks apart, whose positions on nodes of
/// `per_node` differ: one representative of each pattern.
[[nodiscard]] std::vector<std::int64_t> group_representatives(std::int64_t groups,
                                                              std::int64_t distance,
                                                              std::int64_t per_node);

/// Whether every data-parallel group has the same number of ranks on each of its nodes.
[[nodiscard]] bool data_parallel_fills_nodes(const DistributedStepSpec& spec);

}  // namespace lockstep
