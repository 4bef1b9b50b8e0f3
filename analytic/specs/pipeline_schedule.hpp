// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "pipeline-schedule": fields of the documented PipelineScheduleScenario.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <vector>

#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

struct PipelineScheduleSpec {
  std::int64_t stages = 1;          ///< p, >= 1
  std::int64_t microbatches = 1;    ///< m, >= 1
  std::int64_t virtual_stages = 1;  ///< V, >= 1: chunks a device
  std::vector<double> targets;      ///< bubbles to reach, each in (0, 1]
};

/// Reads stages, microbatches, virtual_stages and targets.
[[nodiscard]] PipelineScheduleSpec read_pipeline_schedule(TableReader& reader);

}  // namespace lockstep
