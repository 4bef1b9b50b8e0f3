// SPDX-License-Identifier: Apache-2.0
// A pipeline worked out by hand: straight from the orders of the devices, without a task graph. An
// oracle for the lowering, which both the critical path and the simulation read.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "lockstep/sim/lower/pipeline_schedule.hpp"

namespace lockstep::testing {

/// Plays the operations of all devices: each goes through its order, an operation starts when the
/// device is free and what it needs has come.
class PipelineByHand {
 public:
  PipelineByHand(const PipelineShape& shape, const PipelineRun& run) : shape_(shape), run_(run) {
    std::size_t boundary = 0;
    for (std::int64_t chunk = 0; chunk < shape.chunks(); ++chunk) {
      device_.push_back(run.schedule->device_of(shape, chunk));
      const bool crosses = chunk > 0 && device_.back() != device_[device_.size() - 2];
      transfer_.push_back(crosses ? run.transfer[boundary++] : 0.0);
    }
    const auto slots = static_cast<std::size_t>(shape.chunks() * shape.microbatches);
    forward_end_.assign(slots, not_yet);
    backward_end_.assign(slots, not_yet);
  }

  /// The last end; infinity when the devices wait for each other.
  double makespan() {
    const std::vector<DeviceOrder> orders = run_.schedule->build(shape_);
    std::vector<std::size_t> next(orders.size(), 0);
    std::vector<double> free(orders.size(), 0.0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t device = 0; device < orders.size(); ++device)
        while (next[device] < orders[device].size() &&
               play(orders[device][next[device]], free[device])) {
          ++next[device];
          moved = true;
        }
    }
    for (std::size_t device = 0; device < orders.size(); ++device)
      if (next[device] < orders[device].size()) return not_yet;
    return *std::max_element(free.begin(), free.end());
  }

  /// Computation of the busiest device: no step is shorter.
  [[nodiscard]] double busiest() const {
    std::vector<double> busy(static_cast<std::size_t>(shape_.stages), 0.0);
    for (std::size_t chunk = 0; chunk < device_.size(); ++chunk)
      busy[static_cast<std::size_t>(device_[chunk])] +=
          static_cast<double>(shape_.microbatches) * (run_.forward[chunk] + run_.backward[chunk]);
    return *std::max_element(busy.begin(), busy.end());
  }

 private:
  static constexpr double not_yet = std::numeric_limits<double>::infinity();

  [[nodiscard]] std::size_t slot(std::int64_t chunk, std::int64_t microbatch) const {
    return static_cast<std::size_t>(chunk * shape_.microbatches + microbatch);
  }

  // Runs an operation on a device free from `free` on, if what it needs is known.
  bool play(const Op& op, double& free) {
    const auto chunk = static_cast<std::size_t>(op.chunk);
    const bool forward = op.kind == OpKind::forward;
    double start = free;
    if (forward && op.chunk > 0)
      start = arrival(forward_end_[slot(op.chunk - 1, op.microbatch)], transfer_[chunk], free);
    if (!forward && op.chunk + 1 < shape_.chunks())
      start = arrival(backward_end_[slot(op.chunk + 1, op.microbatch)], transfer_[chunk + 1], free);
    if (!forward) start = std::max(start, forward_end_[slot(op.chunk, op.microbatch)]);
    if (start == not_yet) return false;
    free = start + (forward ? run_.forward : run_.backward)[chunk];
    (forward ? forward_end_ : backward_end_)[slot(op.chunk, op.microbatch)] = free;
    return true;
  }

  // When what was ready at `sent` is on a device that is free from `free` on.
  [[nodiscard]] double arrival(double sent, double transfer, double free) const {
    if (run_.p2p == PointToPoint::rendezvous) return std::max(sent, free) + transfer;
    return std::max(sent + transfer, free);
  }

  PipelineShape shape_;
  PipelineRun run_;
  std::vector<std::int64_t> device_;  // by chunk
  std::vector<double> transfer_;      // by chunk: from the chunk before it
  std::vector<double> forward_end_;
  std::vector<double> backward_end_;
};

}  // namespace lockstep::testing
