// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B in Megatron's order: each device holds V chunks and works through groups of
// microbatches, a whole group on one chunk before the next chunk. Source: Narayanan et al., SC'21,
// section 2.2.2; order and warm-up counts as Megatron-Core's
// forward_backward_pipelining_with_interleaving. Megatron refuses a last group smaller than the
// pipeline is deep; here it runs in the same strict order where that can finish, and otherwise in
// the order of whole groups without the microbatches that there are not.
#include <algorithm>

#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {
namespace {

std::int64_t group_of(const PipelineShape& shape) {
  return shape.group > 0 ? shape.group : shape.stages;
}

std::string refusal(const PipelineShape& shape) {
  if (group_of(shape) < shape.stages)
    return "a group smaller than the number of stages waits for itself in this order: group must "
           "be at least " +
           std::to_string(shape.stages);
  return {};
}

// The order of (microbatch, local chunk) of the forwards; backwards go through the chunks reversed.
std::vector<Op> virtual_order(const PipelineShape& shape, OpKind kind, std::int64_t device) {
  std::vector<Op> order;
  order.reserve(static_cast<std::size_t>(shape.microbatches * shape.virtual_stages));
  const std::int64_t group = group_of(shape);
  for (std::int64_t first = 0; first < shape.microbatches; first += group) {
    const std::int64_t end = std::min(first + group, shape.microbatches);
    for (std::int64_t turn = 0; turn < shape.virtual_stages; ++turn) {
      const std::int64_t local = kind == OpKind::forward ? turn : shape.virtual_stages - 1 - turn;
      const auto chunk = static_cast<std::int32_t>(local * shape.stages + device);
      for (std::int64_t microbatch = first; microbatch < end; ++microbatch)
        order.push_back(Op{kind, static_cast<std::int32_t>(microbatch), chunk});
    }
  }
  return order;
}

std::int64_t warm_up(const PipelineShape& shape, std::int64_t device) {
  const std::int64_t total = shape.microbatches * shape.virtual_stages;
  const std::int64_t wanted =
      (shape.stages - device - 1) * 2 + (shape.virtual_stages - 1) * group_of(shape);
  return std::min(total, wanted);
}

std::vector<DeviceOrder> strict_order(const PipelineShape& shape) {
  std::vector<DeviceOrder> orders;
  for (std::int64_t device = 0; device < shape.stages; ++device) {
    const std::vector<Op> forwards = virtual_order(shape, OpKind::forward, device);
    const std::vector<Op> backwards = virtual_order(shape, OpKind::backward, device);
    DeviceOrder order;
    order.reserve(forwards.size() + backwards.size());
    auto forward = forwards.begin();
    for (std::int64_t i = warm_up(shape, device); i > 0; --i) order.push_back(*forward++);
    for (const Op& backward : backwards) {
      if (forward != forwards.end()) order.push_back(*forward++);
      order.push_back(backward);
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

// Whether the last group is smaller than the pipeline is deep: the shapes that Megatron refuses.
bool leaves_a_rest(const PipelineShape& shape) {
  const std::int64_t rest = shape.microbatches % group_of(shape);
  return shape.microbatches > group_of(shape) && rest > 0 && rest < shape.stages;
}

// The order of whole groups, without the microbatches that there are not.
std::vector<DeviceOrder> padded_order(const PipelineShape& shape) {
  PipelineShape whole = shape;
  whole.microbatches += group_of(shape) - shape.microbatches % group_of(shape);
  std::vector<DeviceOrder> orders = strict_order(whole);
  for (DeviceOrder& order : orders)
    std::erase_if(order, [&](const Op& op) { return op.microbatch >= shape.microbatches; });
  return orders;
}

std::vector<DeviceOrder> build(const PipelineShape& shape) {
  std::vector<DeviceOrder> orders = strict_order(shape);
  if (leaves_a_rest(shape) && !finishes(shape, orders)) return padded_order(shape);
  return orders;
}

std::int64_t peak_live(const PipelineShape& shape, std::int64_t device) {
  if (leaves_a_rest(shape)) {  // no closed form: count along the order
    std::int64_t live = 0;
    std::int64_t most = 0;
    const std::vector<DeviceOrder> orders = build(shape);
    for (const Op& op : orders[static_cast<std::size_t>(device)]) {
      live += op.kind == OpKind::forward ? 1 : -1;
      most = std::max(most, live);
    }
    return most;
  }
  return std::min(shape.microbatches * shape.virtual_stages, warm_up(shape, device) + 1);
}

}  // namespace

extern const ScheduleInfo schedule_interleaved_1f1b;
const ScheduleInfo schedule_interleaved_1f1b{
    .name = "interleaved-1f1b",
    .summary = "1F1B over V chunks a device in Megatron's order; the bubble shrinks by V",
    .source = "Narayanan et al., SC'21, arXiv:2104.04473, section 2.2.2; Megatron-Core",
    .claim = {"pipeline_bubble",
              {Assumption::equal_stages, Assumption::free_pipeline_transfers,
               Assumption::microbatches_divide_stages},
              1e-9},
    .refusal = &refusal,
    .device_of = &loop_placement,
    .peak_live = &peak_live,
    .build = &build,
    .grouped = true};

}  // namespace lockstep
