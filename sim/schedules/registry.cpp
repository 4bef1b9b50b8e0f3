// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {

#define LOCKSTEP_SCHEDULE(unit) extern const ScheduleInfo schedule_##unit;
#include "lockstep/sim/schedules/schedules.def"
#undef LOCKSTEP_SCHEDULE

std::span<const ScheduleInfo* const> schedules() {
  static const std::array table = {
#define LOCKSTEP_SCHEDULE(unit) &schedule_##unit,
#include "lockstep/sim/schedules/schedules.def"
#undef LOCKSTEP_SCHEDULE
  };
  return table;
}

std::string refuse_virtual_stages(const PipelineShape& shape) {
  if (shape.virtual_stages == 1) return {};
  return "every device holds one stage in this schedule: virtual_stages must be 1";
}

}  // namespace lockstep
