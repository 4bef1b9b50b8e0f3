// SPDX-License-Identifier: Apache-2.0
// 1F1B: after a warm-up each stage alternates one forward and one backward, so that at most
// p - stage microbatches are live. Source: Narayanan et al. 2019 (PipeDream), and with a flush each
// step (as here and in Megatron) Narayanan et al., SC'21, section 2.2.1.
#include <algorithm>

#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {
namespace {

std::vector<DeviceOrder> build(const PipelineShape& shape) {
  std::vector<DeviceOrder> orders(static_cast<std::size_t>(shape.stages));
  for (std::int64_t stage = 0; stage < shape.stages; ++stage) {
    DeviceOrder& order = orders[static_cast<std::size_t>(stage)];
    order.reserve(2 * static_cast<std::size_t>(shape.microbatches));
    const auto chunk = static_cast<std::int32_t>(stage);
    const auto count = static_cast<std::int32_t>(shape.microbatches);
    const auto warm_up =
        static_cast<std::int32_t>(std::min(shape.microbatches, shape.stages - stage - 1));
    std::int32_t forward = 0;
    for (; forward < warm_up; ++forward) order.push_back(Op{OpKind::forward, forward, chunk});
    for (std::int32_t backward = 0; backward < count; ++backward) {
      if (forward < count) order.push_back(Op{OpKind::forward, forward++, chunk});
      order.push_back(Op{OpKind::backward, backward, chunk});
    }
  }
  return orders;
}

std::int64_t peak_live(const PipelineShape& shape, std::int64_t device) {
  return std::min(shape.microbatches, shape.stages - device);
}

}  // namespace

extern const ScheduleInfo schedule_one_f_one_b;
const ScheduleInfo schedule_one_f_one_b{
    .name = "1f1b",
    .summary = "one forward, one backward after a warm-up; at most p - stage microbatches live",
    .source = "Narayanan et al., SC'21, arXiv:2104.04473, section 2.2.1",
    .claim = {"pipeline_bubble",
              {Assumption::equal_stages, Assumption::free_pipeline_transfers},
              1e-9},
    .refusal = &refuse_virtual_stages,
    .device_of = &loop_placement,
    .peak_live = &peak_live,
    .build = &build};

}  // namespace lockstep
