// SPDX-License-Identifier: Apache-2.0
// Pipeline schedules on small shapes against the orders drawn in their sources, operation by
// operation: an order that is merely valid, or as fast, is not the published one.
#include <string>
#include <vector>

#include "lockstep/platforms/registry.hpp"
#include "lockstep/sim/schedules/schedule.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::PipelineShape;
using lockstep::ScheduleInfo;

const ScheduleInfo& schedule(std::string_view name) {
  const ScheduleInfo* info = lockstep::find_by_name(lockstep::schedules(), name);
  REQUIRE(info != nullptr);
  return *info;
}

/// "F0 F1 B0 B1" of one device; with chunks "F0.2": microbatch 0 through chunk 2.
std::string order_of(std::string_view name, const PipelineShape& shape, std::size_t device) {
  const std::vector<lockstep::DeviceOrder> orders = schedule(name).build(shape);
  std::string text;
  for (const lockstep::Op& op : orders.at(device)) {
    text += text.empty() ? "" : " ";
    text += op.kind == lockstep::OpKind::forward ? "F" : "B";
    text += std::to_string(op.microbatch);
    if (shape.virtual_stages > 1) text += "." + std::to_string(op.chunk);
  }
  return text;
}

}  // namespace

TEST_CASE("gpipe: all forwards, then all backwards in the same order", "[schedules]") {
  for (const std::size_t stage : {0U, 1U, 2U})
    CHECK(order_of("gpipe", {3, 4, 1, 0}, stage) == "F0 F1 F2 F3 B0 B1 B2 B3");
}

TEST_CASE("1f1b: p - 1 - stage forwards ahead, then in turn", "[schedules]") {
  const PipelineShape shape{4, 6, 1, 0};  // Narayanan et al., SC'21, figure 4
  CHECK(order_of("1f1b", shape, 0) == "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5");
  CHECK(order_of("1f1b", shape, 1) == "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  CHECK(order_of("1f1b", shape, 2) == "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 B5");
  CHECK(order_of("1f1b", shape, 3) == "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5");
  CHECK(order_of("1f1b", {4, 2, 1, 0}, 0) == "F0 F1 B0 B1");
}

TEST_CASE("interleaved-1f1b: Megatron's order over two chunks a device", "[schedules]") {
  const PipelineShape shape{2, 4, 2, 0};
  CHECK(order_of("interleaved-1f1b", shape, 0) ==
        "F0.0 F1.0 F0.2 F1.2 F2.0 B0.2 F3.0 B1.2 F2.2 B0.0 F3.2 B1.0 B2.2 B3.2 B2.0 B3.0");
  CHECK(order_of("interleaved-1f1b", shape, 1) ==
        "F0.1 F1.1 F0.3 B0.3 F1.3 B1.3 F2.1 B0.1 F3.1 B1.1 F2.3 B2.3 F3.3 B3.3 B2.1 B3.1");
}

TEST_CASE("schedules: the live activations that their sources give", "[schedules]") {
  const auto live = [](std::string_view name, const PipelineShape& shape) {
    std::vector<std::int64_t> list;
    for (std::int64_t device = 0; device < shape.stages; ++device)
      list.push_back(schedule(name).peak_live(shape, device));
    return list;
  };
  CHECK(live("gpipe", {4, 8, 1, 0}) == std::vector<std::int64_t>{8, 8, 8, 8});
  CHECK(live("1f1b", {4, 8, 1, 0}) == std::vector<std::int64_t>{4, 3, 2, 1});
  CHECK(live("1f1b", {4, 2, 1, 0}) == std::vector<std::int64_t>{2, 2, 2, 1});
  // 2 (p - device - 1) + (V - 1) p in flight before the first backward, and its own forward.
  CHECK(live("interleaved-1f1b", {4, 8, 2, 0}) == std::vector<std::int64_t>{11, 9, 7, 5});
}
