// SPDX-License-Identifier: Apache-2.0
// Links and routes: what a network may not be, and that looking is cheap.
#include "lockstep/platforms/network.hpp"

#include <chrono>
#include <string>

#include "lockstep/platforms/error.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Network;

std::string fault_of(const Network& network) {
  try {
    network.check();
  } catch (const lockstep::Error& error) {
    CHECK(error.kind() == lockstep::ErrorKind::internal);
    return error.diagnostics().front().message;
  }
  return {};
}

/// Links a, b and c; no routes.
Network three_links() {
  Network network;
  for (const char* name : {"a", "b", "c"}) network.add_link(name, 1.0);
  return network;
}

}  // namespace

TEST_CASE("routes may share links unless they claim not to", "[network]") {
  Network network = three_links();
  network.add_route({0, 1}, false);
  network.add_route({1, 0}, false);
  network.add_route({0}, false);
  network.add_route({2}, true);
  CHECK(fault_of(network).empty());
  network.add_route({1, 2}, false);
  CHECK(fault_of(network) == "an exclusive route shares link c");
}

TEST_CASE("an exclusive route may come first or last", "[network]") {
  Network network = three_links();
  network.add_route({1}, true);
  network.add_route({0}, false);
  network.add_route({1}, false);
  CHECK(fault_of(network) == "an exclusive route shares link b");
}

TEST_CASE("a link twice on a route, and one that is not there", "[network]") {
  Network twice = three_links();
  twice.add_route({0, 1, 0}, false);
  CHECK(fault_of(twice) == "a route uses a link twice");
  for (const lockstep::LinkId id : {-1, 3}) {
    Network network = three_links();
    network.add_route({id}, false);
    CHECK(fault_of(network) == "a route uses a link that does not exist");
  }
}

TEST_CASE("a million routes are looked through at once", "[network]") {
  Network network;
  for (int i = 0; i < 1'000'000; ++i)
    network.add_route({network.add_link("out", 1.0), network.add_link("in", 1.0)}, true);
  const auto start = std::chrono::steady_clock::now();
  CHECK(fault_of(network).empty());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}
