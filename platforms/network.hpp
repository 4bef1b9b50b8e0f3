// SPDX-License-Identifier: Apache-2.0
// Links and routes: what messages occupy while they travel. Plain data.
// Layer: platforms (standard library only).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

/// One direction of a link: a port of a device, of a NIC or of a switch. Latency is not a property
/// of the link here; a message brings its own (see Task::seconds), because a max-min share must not
/// depend on it.
struct Link {
  std::string name;              ///< as a person would call it: "node 0, device 3, out"
  double bytes_per_second = 0.;  ///< > 0
};

using LinkId = std::int32_t;

/// The links that a message occupies all at once. An empty route is a message inside a device.
struct Route {
  std::vector<LinkId> links;
  /// No other message can be on these links while one of this route is: such a message needs no
  /// sharing and may be run as a timer. The engine checks the claim while it runs.
  bool exclusive = false;
};

using RouteId = std::int32_t;

/// All links and routes of a run. Throws nothing; `check` states the invariants.
struct Network {
  std::vector<Link> links;
  std::vector<Route> routes;

  LinkId add_link(std::string name, double bytes_per_second) {
    links.push_back(Link{std::move(name), bytes_per_second});
    return static_cast<LinkId>(links.size()) - 1;
  }
  RouteId add_route(std::vector<LinkId> route_links, bool exclusive) {
    routes.push_back(Route{std::move(route_links), exclusive});
    return static_cast<RouteId>(routes.size()) - 1;
  }

  /// Throws Error(internal) when a rate is not finite and positive, a route names a link that is
  /// not there or names one twice, or an exclusive route shares a link with another route.
  void check() const;

  /// The slowest rate on a route, bytes a second; infinity for an empty route.
  [[nodiscard]] double slowest_rate(RouteId route) const;
};

}  // namespace lockstep
