// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/pipeline_schedule.hpp"

namespace lockstep {

PipelineScheduleSpec read_pipeline_schedule(TableReader& reader) {
  constexpr std::int64_t most_virtual_stages = 1'000'000;  // keeps V m exact in a double
  PipelineScheduleSpec spec;
  spec.stages = reader.count("stages");
  spec.microbatches = reader.count("microbatches");
  spec.virtual_stages = reader.count("virtual_stages", 1, 1, most_virtual_stages);
  spec.targets = reader.numbers("targets", positive_fraction);
  return spec;
}

}  // namespace lockstep
