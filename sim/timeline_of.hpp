// SPDX-License-Identifier: Apache-2.0
// The timeline of a run: which task was where, when.
// Layer: sim.
#pragma once
#include "lockstep/sim/lower/job.hpp"
#include "lockstep/traces/timeline.hpp"

namespace lockstep {

/// Tasks on a stream become slices, in the order of the graph; a message to another device becomes
/// an arrow: from the operation or send to what waited for it on the other side.
[[nodiscard]] Timeline timeline_of(const Job& job, const TaskTimes& times);

}  // namespace lockstep
