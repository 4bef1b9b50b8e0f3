// SPDX-License-Identifier: Apache-2.0
// The units of a run in which SimGrid's fixed precisions do no harm.
// Layer: sim/engine, internal (sim/graph, platforms).
#pragma once
#include <cstdint>

#include "lockstep/platforms/network.hpp"
#include "lockstep/sim/graph/task_graph.hpp"

namespace lockstep::detail {

/// Both scales are powers of two, so scaling there and back loses nothing.
struct Scaling {
  int time_exponent = 0;     ///< an engine second is 2^-time_exponent seconds
  int size_exponent = 0;     ///< a unit of size is 2^-size_exponent bytes
  double least_bytes = 0.0;  ///< smaller messages are too small beside the largest to be flows
  bool flows = false;        ///< anything to run as a flow at all
};

/// The payload of a message: `count` is sent, each counting 2^-finer_exponent units.
struct Payload {
  std::uint64_t count = 0;
  int finer_exponent = 0;
};

/// Whether a message occupies links while others may: then it has to be a flow.
[[nodiscard]] bool is_flow(const Task& task, const Network& network, bool exclusive_as_flows);

/// Chooses the scaling of a run.
///
/// Time: the makespan is at least max(critical path, largest serial load of one link); that bound
/// is brought into [256, 512) engine seconds, where 1e-12 s is well above one ulp and far below
/// what matters. A run may last many times longer, but no two events in turn are further apart than
/// the bound, since a full link would carry more than its load; so the clock never jumps from less
/// than half of a date beyond 8192 s, where SimGrid could lose a flow (see README.md).
/// Sizes: the largest message is brought into [2^52, 2^53) units.
/// Throws Error(simulation) naming a cycle, or when the times overflow.
[[nodiscard]] Scaling scaling_of(const TaskGraph& graph, const Network& network,
                                 bool exclusive_as_flows);

/// A payload is a whole number; in units of one size for all, a small message beside a large one
/// would lose digits. So each is counted in a unit of its own, in which it loses none.
[[nodiscard]] Payload payload_of(double bytes, const Scaling& scaling);

}  // namespace lockstep::detail
