// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/platforms/error.hpp"

namespace lockstep {

void Network::check() const {
  for (const Link& link : links)
    LOCKSTEP_CHECK(std::isfinite(link.bytes_per_second) && link.bytes_per_second > 0.0,
                   "link " + link.name + " has no finite positive rate");
  std::vector<std::size_t> last_route(links.size(), routes.size());  // the last seen on a link
  std::vector<bool> shared(links.size(), false);
  for (std::size_t route = 0; route < routes.size(); ++route)
    for (const LinkId id : routes[route].links) {
      const auto link = static_cast<std::size_t>(id);
      LOCKSTEP_CHECK(id >= 0 && link < links.size(), "a route uses a link that does not exist");
      LOCKSTEP_CHECK(last_route[link] != route, "a route uses a link twice");
      shared[link] = last_route[link] != routes.size();
      last_route[link] = route;
    }
  for (const Route& route : routes) {
    if (!route.exclusive) continue;
    for (const LinkId id : route.links)
      LOCKSTEP_CHECK(!shared[static_cast<std::size_t>(id)],
                     "an exclusive route shares link " + links[static_cast<std::size_t>(id)].name);
  }
}

double Network::slowest_rate(RouteId route) const {
  double rate = std::numeric_limits<double>::infinity();
  for (const LinkId id : routes[static_cast<std::size_t>(route)].links)
    rate = std::min(rate, links[static_cast<std::size_t>(id)].bytes_per_second);
  return rate;
}

}  // namespace lockstep
