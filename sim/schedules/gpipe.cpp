// SPDX-License-Identifier: Apache-2.0
// GPipe: all forwards, then all backwards. Source: Huang et al. 2018, arXiv:1811.06965,
// section 2.3. The backwards run in microbatch order (the paper leaves the order open; reversed
// order frees memory no earlier and gives the same step).
#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {
namespace {

std::vector<DeviceOrder> build(const PipelineShape& shape) {
  std::vector<DeviceOrder> orders(static_cast<std::size_t>(shape.stages));
  for (std::size_t stage = 0; stage < orders.size(); ++stage) {
    const auto chunk = static_cast<std::int32_t>(stage);
    orders[stage].reserve(2 * static_cast<std::size_t>(shape.microbatches));
    for (const OpKind kind : {OpKind::forward, OpKind::backward})
      for (std::int32_t microbatch = 0; microbatch < shape.microbatches; ++microbatch)
        orders[stage].push_back(Op{kind, microbatch, chunk});
  }
  return orders;
}

std::int64_t peak_live(const PipelineShape& shape, std::int64_t) {
  return shape.microbatches;
}

}  // namespace

extern const ScheduleInfo schedule_gpipe;
const ScheduleInfo schedule_gpipe{
    .name = "gpipe",
    .summary = "all forwards, then all backwards; every microbatch stays live",
    .source = "Huang et al. 2018, arXiv:1811.06965, section 2.3",
    .claim = {"pipeline_bubble",
              {Assumption::equal_stages, Assumption::free_pipeline_transfers},
              1e-9},
    .refusal = &refuse_virtual_stages,
    .device_of = &loop_placement,
    .peak_live = &peak_live,
    .build = &build};

}  // namespace lockstep
