// SPDX-License-Identifier: Apache-2.0
// A data-parallel job becomes a task graph.
// Layer: sim/lower.
#pragma once
#include "lockstep/analytic/specs/data_parallel_scale_out.hpp"
#include "lockstep/sim/collectives/collective.hpp"
#include "lockstep/sim/lower/job.hpp"

namespace lockstep {

/// The `[simulation]` table of kind "data-parallel-scale-out".
struct ScaleOutRun {
  const CollectiveInfo* algorithm = nullptr;  ///< of both all-reduces
  Fidelity fidelity = Fidelity::flows;
  Seconds intra_closed_form;  ///< used at fidelity `formula` only
  Seconds inter_closed_form;
};

/// Every device runs its accumulation steps; then each node reduces in a ring over its own links;
/// then all devices, in order of nodes, in a ring whose hops inside a node use the node's links and
/// whose other hops use the NIC of the device at the node's edge.
[[nodiscard]] Job lower_data_parallel_scale_out(const DataParallelScaleOutSpec& spec,
                                                const ScaleOutRun& run);
[[nodiscard]] double task_count(const DataParallelScaleOutSpec& spec, const ScaleOutRun& run);

}  // namespace lockstep
