// SPDX-License-Identifier: Apache-2.0
// Figures over a timeline. All come from the doubles, never from rounded trace files.
// Layer: traces (may include platforms only).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/traces/timeline.hpp"

namespace lockstep {

/// What one device did during the step.
struct DeviceFigures {
  std::string name;
  bool computes = false;  ///< has a compute stream
  double busy_s = 0.0;    ///< time of slices on the compute stream
  double idle_s = 0.0;    ///< makespan - busy_s
  std::int64_t peak_live_microbatches = 0;
};

/// One row a process, in the order of `Timeline::processes`.
///
/// makespan  the end of the step, s, >= the last end of any slice
[[nodiscard]] std::vector<DeviceFigures> device_figures(const Timeline& timeline, double makespan);

/// Share of the devices' time without computation.
///
///   bubble = 1 - sum of busy / (devices that compute * makespan)
///
/// Returns a ratio in [0, 1]; 0 when no device computes or no time passes.
[[nodiscard]] double bubble_of(const std::vector<DeviceFigures>& devices, double makespan);

/// A step function of live microbatches (chunks when interleaved) on one process: the value holds
/// from its time on, 0 before the first. Live = start of the forward to end of the backward (of the
/// input gradient when the backward is split), as seen on the compute stream. At equal times ends
/// come first; what changes at one time is one sample, and a change by nothing is none. Slices of
/// roles other than these do not count; a process that has only accumulation steps (role other,
/// microbatch >= 0, on the compute stream) keeps one microbatch live during each of them.
using LiveSamples = std::vector<std::pair<double, std::int64_t>>;
[[nodiscard]] std::vector<LiveSamples> live_microbatches(const Timeline& timeline);

/// The same samples of one compute track, one after the other and without storing them.
void visit_live_microbatches(const Timeline& timeline, const TrackOrder& order, std::int32_t track,
                             const std::function<void(double, std::int64_t)>& visit);

}  // namespace lockstep
