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

bool finishes(const PipelineShape& shape, const std::vector<DeviceOrder>& orders) {
  const auto slot = [&](std::int64_t chunk, const Op& op) {
    return static_cast<std::size_t>(chunk * shape.microbatches + op.microbatch);
  };
  const auto slots = static_cast<std::size_t>(shape.chunks() * shape.microbatches);
  std::vector<bool> forward_done(slots, false);
  std::vector<bool> backward_done(slots, false);
  const auto ready = [&](const Op& op) {
    if (op.kind == OpKind::forward) return op.chunk == 0 || forward_done[slot(op.chunk - 1, op)];
    const bool last = op.chunk + 1 == shape.chunks();
    return forward_done[slot(op.chunk, op)] && (last || backward_done[slot(op.chunk + 1, op)]);
  };
  std::vector<std::size_t> next(orders.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t device = 0; device < orders.size(); ++device)
      for (; next[device] < orders[device].size() && ready(orders[device][next[device]]);
           ++next[device], moved = true) {
        const Op& op = orders[device][next[device]];
        (op.kind == OpKind::forward ? forward_done : backward_done)[slot(op.chunk, op)] = true;
      }
  }
  for (std::size_t device = 0; device < orders.size(); ++device)
    if (next[device] < orders[device].size()) return false;
  return true;
}

std::string refuse_virtual_stages(const PipelineShape& shape) {
  if (shape.virtual_stages == 1) return {};
  return "every device holds one stage in this schedule: virtual_stages must be 1";
}

}  // namespace lockstep
