// SPDX-License-Identifier: Apache-2.0
// Reads the `[simulation]` table of kind "pipeline-schedule".
// Layer: sim/kinds.
#pragma once
#include "lockstep/platforms/table_reader.hpp"
#include "lockstep/sim/lower/pipeline_schedule.hpp"

namespace lockstep {

/// Keys: schedule, virtual_stages, group, forward, backward, backward_input, backward_weight,
/// forward_backward, stage_scale, transfer, p2p. Sets spec.virtual_stages, and its echo in
/// `scenario` (the table above, whose spec has been read), when only this table gives it.
[[nodiscard]] PipelineRun read_pipeline_run(TableReader& simulation, TableReader& scenario,
                                            PipelineScheduleSpec& spec);

}  // namespace lockstep
