// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/engine/settings_check.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/engine/isolate.hpp"

namespace lockstep::detail {
namespace {

namespace sg = simgrid::s4u;

struct Probe {
  const char* what;
  double latency;      // s, by a timer
  std::uint64_t size;  // bytes
  double expected;     // s
};

constexpr double rate = 1e9;
constexpr double tolerance = 1e-12;
constexpr std::array probes{
    Probe{"1 GB over 1 GB/s after 1 ms", 1e-3, 1'000'000'000, 1.001},
    Probe{"1 GB over 1 GB/s against another transfer", 0.0, 1'000'000'000, 1.0},
    Probe{"1 GB over 1 GB/s, shared with a transfer of 0.5 GB", 0.0, 1'000'000'000, 1.5},
    Probe{"0.5 GB over 1 GB/s, shared with a transfer of 1 GB", 0.0, 500'000'000, 1.0},
};
using Ends = std::array<double, probes.size()>;

/// A host with a link of its own for each direction.
sg::Host* duplex_host(sg::NetZone& zone, const std::string& name) {
  sg::Host* host = zone.create_host(name, 1.0);
  const auto one_link = [&zone, &name](const char* way) {
    return std::vector{sg::LinkInRoute(zone.create_link(name + way, rate)->seal())};
  };
  zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, one_link("-up"), false);
  zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, one_link("-down"), false);
  return host;
}

Ends timed_probes(const Settings& settings) {
  sg::Engine& engine = make_engine(settings);
  sg::NetZone& zone = *sg::create_star_zone("check");
  sg::Host* a = duplex_host(zone, "a");
  sg::Host* b = duplex_host(zone, "b");
  sg::Host* c = duplex_host(zone, "c");
  sg::Host* d = duplex_host(zone, "d");
  zone.seal();
  const std::array<std::array<sg::Host*, 2>, probes.size()> ways{{{a, b}, {b, a}, {c, d}, {c, d}}};
  Ends ends{};
  std::vector<sg::CommPtr> live;  // dropping a running Comm kills the process
  sg::Activity::on_completion_cb([&ends](const sg::Activity& activity) {
    ends[static_cast<std::size_t>(activity.get_data<const Probe>() - probes.data())] =
        sg::Engine::get_clock();
  });
  for (std::size_t i = 0; i < probes.size(); ++i)
    simgrid::kernel::timer::Timer::set(probes[i].latency, [&live, &ways, i] {
      live.push_back(
          sg::Comm::sendto_init(ways[i][0], ways[i][1])->set_payload_size(probes[i].size));
      live.back()->set_data(const_cast<Probe*>(&probes[i]));
      live.back()->vetoable_start();
    });
  engine.run();
  return ends;
}

}  // namespace

void check_settings(const Settings& settings) {
  Ends ends{};
  std::size_t filled = 0;
  run_isolated(
      [&settings](const auto& send) {
        const Ends timed = timed_probes(settings);
        send(timed.data(), sizeof timed);
      },
      [&ends, &filled](const char* data, std::size_t size) {
        std::memcpy(reinterpret_cast<char*>(ends.data()) + filled, data, size);
        filled += size;
      });
  for (std::size_t i = 0; i < probes.size(); ++i)
    if (!(std::abs(ends[i] - probes[i].expected) <= tolerance * probes[i].expected))
      throw Error(
          ErrorKind::simulation,
          fmt::format("SimGrid's settings fail the check: {} took {:.15g} s instead of {} s",
                      probes[i].what, ends[i], probes[i].expected));
}

void require_exact_settings() {
  // Initialised once a process; a failure is thrown again at the next call.
  static const bool exact = (check_settings(exact_settings()), true);
  static_cast<void>(exact);
}

}  // namespace lockstep::detail
