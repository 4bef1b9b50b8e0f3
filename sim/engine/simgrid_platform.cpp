// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/engine/simgrid_platform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <limits>
#include <map>
#include <simgrid/s4u.hpp>
#include <span>

namespace lockstep::detail {
namespace {

namespace sg = simgrid::s4u;

// Rates beyond this are as good as infinite, and stay clear of overflow in SimGrid's sums.
constexpr double fastest = 1e200;

double scaled_rate(double rate, int exponent) {
  const double scaled = std::ldexp(rate, exponent);
  return std::min(std::max(scaled, std::numeric_limits<double>::min()), fastest);
}

/// SimGrid installs handlers when its engine is made; whoever set one before keeps it.
class KeptHandlers {
 public:
  KeptHandlers() {
    for (std::size_t i = 0; i < numbers.size(); ++i) ::sigaction(numbers[i], nullptr, &kept_[i]);
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;
  ~KeptHandlers() {
    for (std::size_t i = 0; i < numbers.size(); ++i) ::sigaction(numbers[i], &kept_[i], nullptr);
  }

 private:
  static constexpr std::array numbers{SIGINT, SIGSEGV, SIGABRT};
  std::array<struct sigaction, numbers.size()> kept_{};
};

/// Numbers lists of links in the order in which they are first met.
class HalfRoutes {
 public:
  std::size_t number_of(std::span<const LinkId> links) {
    return numbers_.try_emplace({links.begin(), links.end()}, numbers_.size()).first->second;
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] const auto& numbers() const { return numbers_; }

 private:
  std::map<std::vector<LinkId>, std::size_t> numbers_;
};

/// SimGrid's links, made when first asked for.
class Wires {
 public:
  Wires(sg::NetZone& zone, const Network& network, int rate_exponent)
      : zone_(zone),
        network_(network),
        rate_exponent_(rate_exponent),
        made_(network.links.size(), nullptr) {}

  std::vector<sg::LinkInRoute> way(const std::vector<LinkId>& links) {
    std::vector<sg::LinkInRoute> list;
    for (const LinkId id : links) list.emplace_back(wire(static_cast<std::size_t>(id)));
    return list;
  }

 private:
  const sg::Link* wire(std::size_t id) {
    if (made_[id] == nullptr) {
      const double rate = scaled_rate(network_.links[id].bytes_per_second, rate_exponent_);
      made_[id] = zone_.create_link("link" + std::to_string(id), rate)->seal();
    }
    return made_[id];
  }

  sg::NetZone& zone_;
  const Network& network_;
  int rate_exponent_;
  std::vector<const sg::Link*> made_;
};

}  // namespace

const Settings& exact_settings() {
  static const Settings settings {
    "network/model:CM02",          // bytes / rate, no TCP corrections
        "network/crosstraffic:0",  // a flow does not load the way back
        "network/TCP-gamma:1e30",  // no window limit on a rate
        "surf/precision:1e-12",    // events this close, in engine seconds, are one event
#if defined(__SANITIZE_ADDRESS__)
        "contexts/factory:thread",  // stack switching makes AddressSanitizer report falsely
#endif
  };
  return settings;
}

sg::Engine& make_engine(const Settings& settings) {
  const KeptHandlers handlers;
  // SimGrid keeps the pointers.
  static std::string program = "lockstep";
  static std::string silence = "--log=root.thres:critical";
  static std::array<char*, 3> arguments{program.data(), silence.data(), nullptr};
  static int count = 2;
  auto* engine = new sg::Engine(&count, arguments.data());
  for (const std::string& setting : settings) sg::Engine::set_config(setting);
  return *engine;
}

RouteHosts::RouteHosts(const Network& network, const std::vector<bool>& used, int rate_exponent)
    : zone_(sg::create_star_zone("network")), ends_(network.routes.size()) {
  HalfRoutes ups;
  HalfRoutes downs;
  for (std::size_t id = 0; id < ends_.size(); ++id) {
    if (!used[id]) continue;
    const std::span<const LinkId> links = network.routes[id].links;
    const std::size_t half = (links.size() + 1) / 2;
    ends_[id] = {ups.number_of(links.first(half)), downs.number_of(links.subspan(half))};
  }
  // At least one host: without any, SimGrid dies when it runs.
  for (std::size_t i = 0; i < std::max({ups.size(), downs.size(), std::size_t{1}}); ++i)
    hosts_.push_back(zone_->create_host("host" + std::to_string(i), 1.0));
  Wires wires(*zone_, network, rate_exponent);
  for (const auto& [links, number] : ups.numbers())
    zone_->add_route(hosts_[number]->get_netpoint(), nullptr, nullptr, nullptr, wires.way(links),
                     false);
  for (const auto& [links, number] : downs.numbers())
    zone_->add_route(nullptr, hosts_[number]->get_netpoint(), nullptr, nullptr, wires.way(links),
                     false);
  zone_->seal();
}

}  // namespace lockstep::detail
