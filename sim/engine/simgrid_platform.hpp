// SPDX-License-Identifier: Apache-2.0
// SimGrid as the engine needs it: exact settings, and a star of hosts that stand for routes.
// Layer: sim/engine, internal (no SimGrid include here; see the .cpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/platforms/network.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
class NetZone;
}  // namespace simgrid::s4u

namespace lockstep::detail {

/// Options of SimGrid as "name:value", in the order in which they are set.
using Settings = std::vector<std::string>;

/// The settings under which SimGrid's answers are exact; README.md gives the reason for each.
[[nodiscard]] const Settings& exact_settings();

/// Makes the process's SimGrid engine: silent, without handlers of its own, under `settings`.
/// Never destroyed: the process ends soon after its one run.
[[nodiscard]] simgrid::s4u::Engine& make_engine(const Settings& settings);

/// Routes as SimGrid understands them, whatever the topology is.
///
/// One star zone. The first half of a route's links is the way up of one host, the rest the way
/// down of another (or the same), so a message from the one to the other occupies just the links of
/// the route, and flows meet where routes have links in common. Routes share hosts: n senders and n
/// receivers need n hosts, not one for each pair.
class RouteHosts {
 public:
  /// rate_exponent  rates are multiplied by 2^rate_exponent: units a second of the engine
  /// Only the routes marked in `used` are made.
  RouteHosts(const Network& network, const std::vector<bool>& used, int rate_exponent);

  [[nodiscard]] simgrid::s4u::Host* source(RouteId route) const {
    return hosts_[ends_[static_cast<std::size_t>(route)].source];
  }
  [[nodiscard]] simgrid::s4u::Host* target(RouteId route) const {
    return hosts_[ends_[static_cast<std::size_t>(route)].target];
  }
  [[nodiscard]] simgrid::s4u::NetZone* zone() const { return zone_; }

 private:
  struct Ends {
    std::size_t source = 0;
    std::size_t target = 0;
  };
  simgrid::s4u::NetZone* zone_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<Ends> ends_;
};

}  // namespace lockstep::detail
