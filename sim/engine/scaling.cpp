// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/engine/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lockstep/platforms/error.hpp"

namespace lockstep::detail {
namespace {

constexpr int time_bits = 9;       // [256, 512) engine seconds
constexpr int mantissa_bits = 53;  // of a double
constexpr int widest = 900;        // powers of two between the largest flow and the smallest

/// value = m 2^exponent with m in [0.5, 1).
int exponent_of(double value) {
  int exponent = 0;
  static_cast<void>(std::frexp(value, &exponent));
  return exponent;
}

}  // namespace

bool is_flow(const Task& task, const Network& network, bool exclusive_as_flows) {
  if (task.route == no_route || task.bytes <= 0.0) return false;
  const Route& route = network.routes[static_cast<std::size_t>(task.route)];
  return !route.links.empty() && (!route.exclusive || exclusive_as_flows);
}

Scaling scaling_of(const TaskGraph& graph, const Network& network, bool exclusive_as_flows) {
  Scaling scaling;
  double largest = 0.0;
  std::vector<double> load(network.links.size(), 0.0);
  for (const Task& task : graph.tasks()) {
    if (!is_flow(task, network, exclusive_as_flows)) continue;
    largest = std::max(largest, task.bytes);
    for (const LinkId link : network.routes[static_cast<std::size_t>(task.route)].links)
      load[static_cast<std::size_t>(link)] += task.bytes;
  }
  if (largest <= 0.0) return scaling;  // timers only: their sums are exact in any unit
  double bound = critical_path(graph, network).last_end();
  for (std::size_t link = 0; link < load.size(); ++link)
    bound = std::max(bound, load[link] / network.links[link].bytes_per_second);
  if (!std::isfinite(bound))
    throw Error(ErrorKind::simulation, "the simulated time exceeds the largest number");
  if (bound <= 0.0) return scaling;  // the rates are so high that nothing takes any time
  scaling.flows = true;
  scaling.time_exponent = std::clamp(time_bits - exponent_of(bound), -1000, 1000);
  scaling.size_exponent = mantissa_bits - exponent_of(largest);
  scaling.least_bytes = std::ldexp(largest, -widest);
  return scaling;
}

Payload payload_of(double bytes, const Scaling& scaling) {
  const int exponent = mantissa_bits - exponent_of(bytes);
  return {static_cast<std::uint64_t>(std::ldexp(bytes, exponent)),
          exponent - scaling.size_exponent};
}

}  // namespace lockstep::detail
