// SPDX-License-Identifier: Apache-2.0
// Pipeline schedules: per device, the order of its operations. Pure combinatorics, no times.
// Layer: sim/schedules (platforms and analytic/assumption only).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/analytic/assumption.hpp"

namespace lockstep {

enum class OpKind : std::uint8_t { forward, backward };

/// One operation of a device.
struct Op {
  OpKind kind = OpKind::forward;
  std::int32_t microbatch = 0;
  std::int32_t chunk = 0;  ///< in model order; the stage when every device holds one
};

/// The pipeline that a schedule orders.
struct PipelineShape {
  std::int64_t stages = 1;          ///< p: devices in the pipeline, >= 1
  std::int64_t microbatches = 1;    ///< m, >= 1
  std::int64_t virtual_stages = 1;  ///< V: chunks a device, >= 1
  std::int64_t group = 0;           ///< microbatches a group of an interleaved schedule; 0: default

  [[nodiscard]] std::int64_t chunks() const { return stages * virtual_stages; }
};

using DeviceOrder = std::vector<Op>;

/// What a registered thing must equal, when, and how closely.
struct Claim {
  std::string_view formula;             ///< name in `lockstep list formulas`
  std::vector<Assumption> assumptions;  ///< it holds when these do
  double tolerance = 1e-9;              ///< relative
};

struct ScheduleInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  Claim claim;
  /// Why a shape cannot be scheduled and the nearest that can; empty when it can.
  std::string (*refusal)(const PipelineShape& shape);
  /// The device that holds a chunk.
  std::int64_t (*device_of)(const PipelineShape& shape, std::int64_t chunk);
  /// Most activations live on a device, in microbatches (chunks when V > 1): a claim, checked.
  std::int64_t (*peak_live)(const PipelineShape& shape, std::int64_t device);
  /// One order a device. The shape has been found schedulable.
  std::vector<DeviceOrder> (*build)(const PipelineShape& shape);
  bool grouped = false;         ///< works in groups of microbatches: `group` has a meaning
  bool overlaps_pairs = false;  ///< overlaps a forward with a backward: `forward_backward` has one
};

/// All schedules, in the order of schedules.def.
[[nodiscard]] std::span<const ScheduleInfo* const> schedules();

/// Chunk c on device c mod p: Megatron's placement, and the plain one when V = 1.
[[nodiscard]] inline std::int64_t loop_placement(const PipelineShape& shape, std::int64_t chunk) {
  return chunk % shape.stages;
}

/// Whether orders can be worked through: no operation waits for itself through others.
[[nodiscard]] bool finishes(const PipelineShape& shape, const std::vector<DeviceOrder>& orders);

/// The refusal of a schedule whose devices hold one stage each.
[[nodiscard]] std::string refuse_virtual_stages(const PipelineShape& shape);

}  // namespace lockstep
