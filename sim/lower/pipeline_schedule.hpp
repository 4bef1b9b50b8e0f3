// SPDX-License-Identifier: Apache-2.0
// A pipeline schedule with times becomes a task graph.
// Layer: sim/lower.
#pragma once
#include <string>
#include <vector>

#include "lockstep/analytic/specs/pipeline_schedule.hpp"
#include "lockstep/sim/lower/job.hpp"
#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {

/// How a transfer over a stage boundary works.
enum class PointToPoint : std::uint8_t {
  eager,       ///< a pure delay; nobody waits but the operation that needs it
  rendezvous,  ///< starts when the sender is done and the receiver idle; the receiver waits for it
};

/// One value a chunk (or boundary), in model order; a single value stands for all, so that pricing
/// a million stages in closed form needs no list.
class PerChunk {
 public:
  PerChunk() = default;
  explicit PerChunk(double everywhere) : values_{everywhere} {}
  explicit PerChunk(std::vector<double> values) : values_(std::move(values)) {}
  [[nodiscard]] double operator[](std::size_t index) const {
    return values_.size() == 1 ? values_.front() : values_[index];
  }
  [[nodiscard]] bool all_equal() const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double largest() const;
  [[nodiscard]] std::size_t index_of_largest() const;
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_{0.0};  // never empty
};

/// The `[simulation]` table of kind "pipeline-schedule".
struct PipelineRun {
  const ScheduleInfo* schedule = nullptr;
  std::int64_t group = 0;  ///< 0: the schedule's default
  PerChunk forward;        ///< s, >= 0
  PerChunk backward;       ///< s, the whole backward, >= 0
  PerChunk transfer;       ///< s, a boundary between devices, >= 0
  PointToPoint p2p = PointToPoint::eager;
};

/// The shape that the schedule sees.
[[nodiscard]] PipelineShape shape_of(const PipelineScheduleSpec& spec, const PipelineRun& run);

/// How many boundaries between chunks lie between two devices.
[[nodiscard]] std::int64_t boundaries_of(const ScheduleInfo& schedule, const PipelineShape& shape);

/// Tasks of the graph, counted without making it.
[[nodiscard]] double task_count(const PipelineScheduleSpec& spec, const PipelineRun& run);

/// What adding a pipeline made.
struct PipelinePart {
  std::vector<std::string> devices;  ///< the devices' names; tasks refer to them by index
  std::vector<TaskId> last;          ///< the last operation of each device
  std::int64_t operations = 0;
  std::int64_t messages = 0;
};

/// Adds a pipeline on devices 0 to stages - 1. Throws as lower_pipeline_schedule.
PipelinePart add_pipeline_schedule(TaskGraphBuilder& builder, const PipelineScheduleSpec& spec,
                                   const PipelineRun& run);

/// Forward c of a microbatch follows forward c-1 (over a transfer between devices), its backward
/// follows backward c+1 and its own forward; a device works in the schedule's order.
/// Throws Error(input) when the schedule refuses the shape.
[[nodiscard]] Job lower_pipeline_schedule(const PipelineScheduleSpec& spec, const PipelineRun& run);

}  // namespace lockstep
