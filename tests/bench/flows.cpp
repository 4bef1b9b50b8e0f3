// SPDX-License-Identifier: Apache-2.0
// Flows that contend: the engine against a bare loop over SimGrid's Comms that starts the next
// message of a chain when one ends. The same messages over the same links, in the same run.
// Layer: tests.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/sim/engine/engine.hpp"
#include "lockstep/sim/engine/isolate.hpp"
#include "lockstep/sim/engine/simgrid_platform.hpp"

namespace {

namespace sg = simgrid::s4u;

/// `chains` messages are under way at any time, each between two random hosts of a star.
struct Traffic {
  int hosts = 0;
  int chains = 0;
  int length = 0;
  struct Message {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Message> messages;  // chain by chain
};

Traffic random_traffic(int hosts, int chains, int length) {
  Traffic traffic{hosts, chains, length, {}};
  std::uint64_t state = 20240607;
  const auto draw = [&state](int limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % static_cast<std::uint64_t>(limit);
  };
  for (int i = 0; i < chains * length; ++i) {
    const std::uint64_t from = draw(hosts);
    const std::uint64_t other = draw(hosts - 1);
    traffic.messages.push_back(
        {from, other >= from ? other + 1 : other, 1'000'000 + draw(999'983)});
  }
  return traffic;
}

constexpr double rate = 1e9;

std::vector<sg::Host*> star(int count) {
  sg::NetZone* zone = sg::create_star_zone("star");
  std::vector<sg::Host*> hosts;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    const auto link = [zone, &name](const char* way) {
      return std::vector{sg::LinkInRoute(zone->create_link(way + name, rate)->seal())};
    };
    hosts.push_back(zone->create_host(name, 1.0));
    zone->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr, link("up"), false);
    zone->add_route(nullptr, hosts.back()->get_netpoint(), nullptr, nullptr, link("down"), false);
  }
  zone->seal();
  return hosts;
}

void bare_loop(const Traffic& traffic) {
  sg::Engine& engine = lockstep::detail::make_engine(lockstep::detail::exact_settings());
  const std::vector<sg::Host*> hosts = star(traffic.hosts);
  const auto chains = static_cast<std::size_t>(traffic.chains);
  const auto length = static_cast<std::size_t>(traffic.length);
  std::vector<sg::CommPtr> live(chains);
  std::vector<std::size_t> sent(chains, 0);
  sg::CommPtr ended;
  const auto send_next = [&](std::size_t chain) {
    const Traffic::Message& message = traffic.messages[chain * length + sent[chain]++];
    live[chain] = sg::Comm::sendto_init(hosts[message.from], hosts[message.to])
                      ->set_payload_size(message.bytes);
    live[chain]->set_data(reinterpret_cast<void*>(chain));
    live[chain]->vetoable_start();
  };
  sg::Activity::on_completion_cb([&](const sg::Activity& activity) {
    const auto chain = reinterpret_cast<std::size_t>(activity.get_data<void>());
    ended = std::move(live[chain]);
    if (sent[chain] < length) send_next(chain);
  });
  for (std::size_t chain = 0; chain < chains; ++chain) send_next(chain);
  engine.run();
}

lockstep::TaskGraph graph_of(const Traffic& traffic, lockstep::Network& network) {
  std::vector<lockstep::LinkId> up;
  std::vector<lockstep::LinkId> down;
  for (int i = 0; i < traffic.hosts; ++i) {
    up.push_back(network.add_link("up", rate));
    down.push_back(network.add_link("down", rate));
  }
  std::map<std::pair<std::size_t, std::size_t>, lockstep::RouteId> routes;
  lockstep::TaskGraphBuilder builder;
  for (std::size_t i = 0; i < traffic.messages.size(); ++i) {
    const Traffic::Message& message = traffic.messages[i];
    const auto [at, is_new] = routes.try_emplace({message.from, message.to}, 0);
    if (is_new) at->second = network.add_route({up[message.from], down[message.to]}, false);
    lockstep::Task task;
    task.kind = lockstep::TaskKind::message;
    task.route = at->second;
    task.bytes = static_cast<double>(message.bytes);
    const lockstep::TaskId id = builder.add(task);
    if (i % static_cast<std::size_t>(traffic.length) != 0) builder.depend(id - 1, id);
  }
  return std::move(builder).build();
}

double seconds_of(const auto& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs both in turn, each in a child, and reports the ratio of the best of each.
void compare(benchmark::State& state) {
  const Traffic traffic =
      random_traffic(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                     static_cast<int>(state.range(2)));
  lockstep::Network network;
  const lockstep::TaskGraph graph = graph_of(traffic, network);
  double bare = std::numeric_limits<double>::infinity();
  double engine = bare;
  for (auto _ : state) {
    bare = std::min(bare, seconds_of([&traffic] {
                      lockstep::run_isolated([&traffic](const auto&) { bare_loop(traffic); },
                                             [](const char*, std::size_t) {});
                    }));
    const double taken = seconds_of(
        [&graph, &network] { benchmark::DoNotOptimize(lockstep::simulate(graph, network)); });
    engine = std::min(engine, taken);
    state.SetIterationTime(taken);
  }
  state.counters["bare_ms"] = bare * 1e3;
  state.counters["engine_ms"] = engine * 1e3;
  state.counters["ratio"] = engine / bare;
  state.counters["messages_per_s"] = static_cast<double>(traffic.messages.size()) / engine;
}

// Hosts, messages under way at any time, messages of each chain.
BENCHMARK(compare)
    ->Args({8, 8, 5000})
    ->Args({64, 64, 1000})
    ->Args({1024, 64, 1000})
    ->Args({1024, 256, 250})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
