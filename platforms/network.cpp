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
  std::vector<int> routes_on_link(links.size(), 0);
  for (const Route& route : routes) {
    std::vector<LinkId> sorted = route.links;
    std::sort(sorted.begin(), sorted.end());
    LOCKSTEP_CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
                   "a route uses a link twice");
    for (const LinkId id : sorted) {
      LOCKSTEP_CHECK(id >= 0 && static_cast<std::size_t>(id) < links.size(),
                     "a route uses a link that does not exist");
      ++routes_on_link[static_cast<std::size_t>(id)];
    }
  }
  for (const Route& route : routes) {
    if (!route.exclusive) continue;
    for (const LinkId id : route.links)
      LOCKSTEP_CHECK(routes_on_link[static_cast<std::size_t>(id)] == 1,
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
