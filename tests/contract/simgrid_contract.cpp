// SPDX-License-Identifier: Apache-2.0
// What the engine relies on in SimGrid 3.32, and the traps it goes round. When SimGrid changes,
// this is what fails first. Every case runs raw SimGrid in a child of its own.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/engine/isolate.hpp"
#include "lockstep/sim/engine/simgrid_platform.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

namespace sg = simgrid::s4u;
using Catch::Matchers::WithinRel;
using lockstep::detail::exact_settings;
using lockstep::detail::Settings;
using simgrid::kernel::timer::Timer;

constexpr double tolerance = 1e-13;
constexpr std::uint64_t gigabyte = 1'000'000'000;

struct WireSpec {
  double rate = 0.0;     // bytes/s
  double latency = 0.0;  // s, of the link itself
};

/// A host of a star zone, by the wires of its way up and of its way down.
struct HostSpec {
  std::vector<std::size_t> up;
  std::vector<std::size_t> down;
};

struct FlowSpec {
  std::size_t from = 0;
  std::size_t to = 0;
  double start = 0.0;
  std::uint64_t bytes = 0;
};

struct Setup {
  Settings settings;
  std::vector<WireSpec> wires;
  std::vector<HostSpec> hosts;
  std::vector<FlowSpec> flows;
  std::vector<double> alarms;  // dates of timers that do nothing
};

/// Doubles that a function computes in a child.
std::vector<double> in_child(const std::function<std::vector<double>()>& work) {
  std::string bytes;
  lockstep::run_isolated(
      [&work](const auto& send) {
        const std::vector<double> made = work();
        send(made.data(), made.size() * sizeof(double));
      },
      [&bytes](const char* data, std::size_t size) { bytes.append(data, size); });
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<sg::Host*> build(const Setup& setup) {
  sg::NetZone* zone = sg::create_star_zone("star");
  std::vector<const sg::Link*> wires;
  for (const WireSpec& wire : setup.wires)
    wires.push_back(zone->create_link("wire" + std::to_string(wires.size()), wire.rate)
                        ->set_latency(wire.latency)
                        ->seal());
  const auto way = [&wires](const std::vector<std::size_t>& ids) {
    std::vector<sg::LinkInRoute> links;
    for (const std::size_t id : ids) links.emplace_back(wires[id]);
    return links;
  };
  std::vector<sg::Host*> hosts;
  for (const HostSpec& spec : setup.hosts) {
    sg::Host* host = zone->create_host("host" + std::to_string(hosts.size()), 1.0);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, way(spec.up), false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, way(spec.down), false);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

/// Ends of the flows (-1: never), then the last date of the clock.
std::vector<double> run_here(const Setup& setup) {
  sg::Engine& engine = lockstep::detail::make_engine(setup.settings);
  const std::vector<sg::Host*> hosts = build(setup);
  std::vector<double> ends(setup.flows.size(), -1.0);
  // Kept to the end: dropping the last pointer to a running Comm is fatal, see below.
  static std::vector<sg::CommPtr> live;
  sg::Activity::on_completion_cb([&ends](const sg::Activity& activity) {
    ends[reinterpret_cast<std::size_t>(activity.get_data<void>())] = sg::Engine::get_clock();
  });
  for (std::size_t i = 0; i < setup.flows.size(); ++i)
    Timer::set(setup.flows[i].start, [&setup, &hosts, i] {
      const FlowSpec& flow = setup.flows[i];
      live.push_back(
          sg::Comm::sendto_init(hosts[flow.from], hosts[flow.to])->set_payload_size(flow.bytes));
      live.back()->set_data(reinterpret_cast<void*>(i));
      live.back()->vetoable_start();
    });
  for (const double date : setup.alarms) Timer::set(date, [] {});
  engine.run();
  ends.push_back(sg::Engine::get_clock());
  return ends;
}

std::vector<double> run(const Setup& setup) {
  return in_child([&setup] { return run_here(setup); });
}

const HostSpec sink{{}, {}};

}  // namespace

TEST_CASE("one flow takes bytes / rate") {
  CHECK(run({exact_settings(), {{1e9}}, {{{0}, {}}, sink}, {{0, 1, 0.0, gigabyte}}, {}})[0] == 1.0);
}

TEST_CASE("by default a flow gets 97 % of a link") {
  const auto ends = run({{}, {{1e9}}, {{{0}, {}}, {{}, {}}}, {{0, 1, 0.0, gigabyte}}, {}});
  CHECK_THAT(ends[0], WithinRel(1.0 / 0.97, tolerance));
}

TEST_CASE("trap: latencies on links skew the shares by 1 / latency") {
  // Latencies 1 us and 10 us, one link of 50 GB/s. Alone for 9 us, flow 0 carries 450 kB; then it
  // gets 10/11 of the link: 10 us + 0.99955 GB / (500/11 GB/s). Flow 1 has then carried 0.099955 GB
  // and has the link for itself.
  const Setup setup{exact_settings(),
                    {{1e12, 1e-6}, {1e12, 10e-6}, {50e9, 0.0}},
                    {{{0, 2}, {}}, {{1, 2}, {}}, sink},
                    {{0, 2, 0.0, gigabyte}, {1, 2, 0.0, gigabyte}},
                    {}};
  const auto ends = run(setup);
  const double first = 10e-6 + 0.99955e9 * 11.0 / 500e9;
  CHECK_THAT(ends[0], WithinRel(first, 1e-12));
  CHECK_THAT(ends[1], WithinRel(first + 0.900045e9 / 50e9, 1e-12));
}

TEST_CASE("the way round: the latency by a timer, then a flow on links without latency") {
  // As above, with even shares: 10 us + 0.99955 GB / (25 GB/s), then the 450 kB left.
  const Setup setup{exact_settings(),
                    {{50e9}},
                    {{{0}, {}}, {{0}, {}}, sink},
                    {{0, 2, 1e-6, gigabyte}, {1, 2, 10e-6, gigabyte}},
                    {}};
  const auto ends = run(setup);
  CHECK_THAT(ends[0], WithinRel(0.039992, tolerance));
  CHECK_THAT(ends[1], WithinRel(0.040001, tolerance));
}

TEST_CASE("the two directions are independent, but not with cross-traffic") {
  // Host 0 goes up by wire 0 and down by wire 1, host 1 the other way round.
  Setup setup{exact_settings(),
              {{1e9}, {1e9}},
              {{{0}, {1}}, sink},
              {{0, 1, 0.0, gigabyte}, {1, 0, 0.0, gigabyte}},
              {}};
  const auto exact = run(setup);
  CHECK(exact[0] == 1.0);
  CHECK(exact[1] == 1.0);
  setup.settings = {"network/model:CM02"};  // cross-traffic is on by default
  CHECK_THAT(run(setup)[0], WithinRel(1.05, 1e-12));
}

TEST_CASE("a flow of 0 bytes takes the latency of its links") {
  const auto ends = run({exact_settings(),
                         {{1e9, 0.25}, {1e9, 0.0}},
                         {{{0}, {}}, {{1}, {}}, sink},
                         {{0, 2, 1.0, 0}, {1, 2, 1.0, 0}},
                         {}});
  CHECK(ends[0] == 1.25);
  CHECK(ends[1] == 1.0);
}

TEST_CASE("trap: a flow from a host to itself uses its way up and its way down") {
  // A star has no loopback of its own: 1 GB/s up limits, where a copy in memory would not.
  const auto ends =
      run({exact_settings(), {{1e9}, {2e9}}, {{{0}, {1}}}, {{0, 0, 0.0, gigabyte}}, {}});
  CHECK(ends[0] == 1.0);
}

TEST_CASE("trap: a flow over no link at all kills the process") {
  CHECK_THROWS_AS(run({exact_settings(), {}, {sink, sink}, {{0, 1, 0.0, gigabyte}}, {}}),
                  lockstep::Error);
}

TEST_CASE("trap: a payload is whole bytes; small units carry the fraction") {
  // 10/3 bytes at 1 byte/s.
  const Setup bytes{exact_settings(),
                    {{1.0}},
                    {{{0}, {}}, sink},
                    {{0, 1, 0.0, static_cast<std::uint64_t>(10.0 / 3.0)}},
                    {}};
  CHECK(run(bytes)[0] == 3.0);
  // In units of 2^-61 byte the size is in [2^62, 2^63) and the rate 2^61 units/s.
  const Setup units{exact_settings(),
                    {{0x1p61}},
                    {{{0}, {}}, sink},
                    {{0, 1, 0.0, static_cast<std::uint64_t>(std::ldexp(10.0 / 3.0, 61))}},
                    {}};
  CHECK(run(units)[0] == 10.0 / 3.0);
}

TEST_CASE("a flow can count in units of its own by the bandwidth factor") {
  // 1/3 byte as 2^53 / 3 units that a factor of 2^53 makes up for; 1 byte/s, so 1/3 s.
  const auto ends = in_child([] {
    const Setup setup{exact_settings(),
                      {{1.0}},
                      {{{0}, {}}, sink},
                      {{0, 1, 0.0, static_cast<std::uint64_t>(0x1p53 / 3.0)}},
                      {}};
    sg::NetZone::on_seal_cb([](const sg::NetZone& zone) {
      zone.get_network_model()->set_bw_factor_cb(
          [](double, const sg::Host*, const sg::Host*, const std::vector<sg::Link*>&,
             const std::unordered_set<sg::NetZone*>&) { return 0x1p53; });
    });
    return run_here(setup);
  });
  CHECK_THAT(ends[0], WithinRel(std::floor(0x1p53 / 3.0) / 0x1p53, 1e-15));
}

TEST_CASE("trap: what ends within surf/precision of another event ends with it") {
  // A run of a nanosecond: ends 0.5 ps apart are taken for one. Scaled by 2^38 to 275 s it is
  // exact.
  const auto two = [](double rate) {
    return Setup{exact_settings(),
                 {{rate}, {rate}},
                 {{{0}, {}}, {{1}, {}}, sink},
                 {{0, 2, 0.0, 10000}, {1, 2, 0.0, 10005}},
                 {}};
  };
  const auto raw = run(two(1e13));
  CHECK(raw[1] == raw[0]);
  const auto scaled = run(two(1e13 * 0x1p-38));
  CHECK_THAT(scaled[0] * 0x1p-38, WithinRel(1.0e-9, tolerance));
  CHECK_THAT(scaled[1] * 0x1p-38, WithinRel(1.0005e-9, tolerance));
}

TEST_CASE("trap: beyond 8192 s a flow can get lost; a timer on the way saves it") {
  // One ulp is u = 2^-39 s = 1.8e-12 s there, more than surf/precision. The flow is due at
  // 8192 s + 5 u. An event at 1.5 u makes the clock jump by 8192 s + 3.5 u, rounded to + 4 u, and
  // land, rounded again, at + 6 u: past the date, where nobody looks for it any more.
  constexpr double u = 0x1p-39;
  Setup setup{exact_settings(),
              {{0x1p39}},
              {{{0}, {}}, sink},
              {{0, 1, 0.0, (std::uint64_t{1} << 52U) + 5}},
              {1.5 * u}};
  const auto lost = run(setup);
  CHECK(lost[0] == -1.0);
  CHECK(lost[1] == 8192.0 + 6.0 * u);
  // From half of a date or later the difference is exact (Sterbenz), and so is the landing.
  setup.alarms.push_back(4096.0 + 1.0);
  CHECK(run(setup)[0] == 8192.0 + 5.0 * u);
}

TEST_CASE("long runs are exact") {
  // 10^6 s: 3 TB and 1 TB share 4 MB/s; the smaller is through at 0.5e6 s, the larger at 1e6 s.
  const auto ends = run({exact_settings(),
                         {{4e6}},
                         {{{0}, {}}, {{0}, {}}, sink},
                         {{0, 2, 0.0, 3000 * gigabyte}, {1, 2, 0.0, 1000 * gigabyte}},
                         {}});
  CHECK_THAT(ends[0], WithinRel(1e6, tolerance));
  CHECK_THAT(ends[1], WithinRel(0.5e6, tolerance));
}

TEST_CASE("hosts of a star may have several links, and share them") {
  // Host 0 goes up by wires 0 and 2, host 1 by 1 and 2: 2 is common. Wire 0 limits flow 0 to 1
  // GB/s, flow 1 gets the other 3 GB/s of wire 2.
  const auto ends = run({exact_settings(),
                         {{1e9}, {9e9}, {4e9}},
                         {{{0, 2}, {}}, {{1, 2}, {}}, sink},
                         {{0, 2, 0.0, gigabyte}, {1, 2, 0.0, 3 * gigabyte}},
                         {}});
  CHECK_THAT(ends[0], WithinRel(1.0, tolerance));
  CHECK_THAT(ends[1], WithinRel(1.0, tolerance));
}

TEST_CASE("trap: dropping the last pointer to a running Comm kills the process") {
  const auto drop = [] {
    sg::Engine& engine = lockstep::detail::make_engine(exact_settings());
    const auto hosts = build({{}, {{1e9}}, {{{0}, {}}, sink}, {}, {}});
    Timer::set(0.0, [&hosts] {
      sg::Comm::sendto_init(hosts[0], hosts[1])->set_payload_size(gigabyte)->vetoable_start();
    });
    engine.run();
    return std::vector<double>{};
  };
  CHECK_THROWS_AS(in_child(drop), lockstep::Error);
}

TEST_CASE("trap: one engine a process") {
  const auto twice = [] {
    static_cast<void>(lockstep::detail::make_engine(exact_settings()));
    static_cast<void>(lockstep::detail::make_engine(exact_settings()));
    return std::vector<double>{};
  };
  CHECK_THROWS_WITH(in_child(twice), Catch::Matchers::Contains("more than one instance"));
}

TEST_CASE("timers of one date, and timers set by timers at that date, all run at it") {
  const auto dates = in_child([] {
    sg::Engine& engine = lockstep::detail::make_engine(exact_settings());
    static_cast<void>(build({{}, {}, {sink}, {}, {}}));
    std::vector<double> seen;
    const auto look = [&seen] { seen.push_back(sg::Engine::get_clock()); };
    Timer::set(1.0, look);
    Timer::set(1.0, [&look] { Timer::set(1.0, look); });
    Timer::set(1.5, look);
    engine.run();
    return seen;
  });
  CHECK(dates == std::vector<double>{1.0, 1.0, 1.5});
}
