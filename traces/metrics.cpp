// SPDX-License-Identifier: Apache-2.0
#include "lockstep/traces/metrics.hpp"

#include <algorithm>

namespace lockstep {
namespace {

/// How a slice changes the number of live microbatches at its start and at its end.
struct LiveChange {
  std::int64_t at_start = 0;
  std::int64_t at_end = 0;
};

LiveChange change_of(SliceRole role) {
  switch (role) {
    case SliceRole::forward:
      return {.at_start = 1, .at_end = 0};
    case SliceRole::backward:
    case SliceRole::backward_input:
      return {.at_start = 0, .at_end = -1};
    case SliceRole::forward_backward:
      return {.at_start = 1, .at_end = -1};
    case SliceRole::backward_weight:
    case SliceRole::other:
      break;
  }
  return {};
}

bool changes_anything(SliceRole role) {
  const LiveChange change = change_of(role);
  return change.at_start != 0 || change.at_end != 0;
}

/// Merges the changes of one time into one sample; drops those that come to nothing.
class Sampler {
 public:
  explicit Sampler(const std::function<void(double, std::int64_t)>& visit) : visit_(visit) {}

  void change(double time, std::int64_t by) {
    if (by == 0) return;
    if (time != time_) finish();
    time_ = time;
    live_ += by;
  }

  void finish() {
    if (live_ != visited_) visit_(time_, live_);
    visited_ = live_;
  }

 private:
  const std::function<void(double, std::int64_t)>& visit_;
  double time_ = 0.0;
  std::int64_t live_ = 0;
  std::int64_t visited_ = 0;
};

}  // namespace

void visit_live_microbatches(const Timeline& timeline, const TrackOrder& order, std::int32_t track,
                             const std::function<void(double, std::int64_t)>& visit) {
  const std::size_t begin = order.first[static_cast<std::size_t>(track)];
  const std::size_t end = order.first[static_cast<std::size_t>(track) + 1];
  const auto slice_at = [&](std::size_t at) -> const Slice& {
    return timeline.slices[static_cast<std::size_t>(order.slices[at])];
  };
  bool accumulates_only = true;
  for (std::size_t at = begin; at < end && accumulates_only; ++at)
    accumulates_only = !changes_anything(slice_at(at).role);

  // Slices of a track do not overlap, so their starts and ends already stand in the order of time.
  Sampler sampler(visit);
  for (std::size_t at = begin; at < end; ++at) {
    const Slice& slice = slice_at(at);
    LiveChange change = change_of(slice.role);
    if (accumulates_only && slice.role == SliceRole::other && slice.microbatch >= 0)
      change = {.at_start = 1, .at_end = -1};
    sampler.change(slice.start, change.at_start);
    sampler.change(slice.end, change.at_end);
  }
  sampler.finish();
}

std::vector<LiveSamples> live_microbatches(const Timeline& timeline) {
  std::vector<LiveSamples> samples(timeline.processes.size());
  const TrackOrder order = order_by_track(timeline);
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    if (timeline.tracks[track].stream != Stream::compute) continue;
    LiveSamples& row = samples[static_cast<std::size_t>(timeline.tracks[track].process)];
    visit_live_microbatches(
        timeline, order, static_cast<std::int32_t>(track),
        [&row](double time, std::int64_t live) { row.emplace_back(time, live); });
  }
  return samples;
}

std::vector<DeviceFigures> device_figures(const Timeline& timeline, double makespan) {
  std::vector<DeviceFigures> devices(timeline.processes.size());
  for (std::size_t process = 0; process < devices.size(); ++process)
    devices[process].name = timeline.processes[process].name;

  const TrackOrder order = order_by_track(timeline);
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    if (timeline.tracks[track].stream != Stream::compute) continue;
    DeviceFigures& device = devices[static_cast<std::size_t>(timeline.tracks[track].process)];
    device.computes = true;
    for (std::size_t at = order.first[track]; at < order.first[track + 1]; ++at) {
      const Slice& slice = timeline.slices[static_cast<std::size_t>(order.slices[at])];
      device.busy_s += slice.end - slice.start;
    }
    visit_live_microbatches(
        timeline, order, static_cast<std::int32_t>(track), [&device](double, std::int64_t live) {
          device.peak_live_microbatches = std::max(device.peak_live_microbatches, live);
        });
  }
  // A device that never rests would show minus a rounding error.
  for (DeviceFigures& device : devices) device.idle_s = std::max(0.0, makespan - device.busy_s);
  return devices;
}

double bubble_of(const std::vector<DeviceFigures>& devices, double makespan) {
  double busy = 0.0;
  double computing = 0.0;
  for (const DeviceFigures& device : devices) {
    if (!device.computes) continue;
    busy += device.busy_s;
    computing += 1.0;
  }
  if (computing == 0.0 || !(makespan > 0.0)) return 0.0;
  return std::clamp(1.0 - busy / (computing * makespan), 0.0, 1.0);
}

}  // namespace lockstep
