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

enum class Way : std::uint8_t { up, down };

/// Makes a host for each list of links that is the way up of a source or the way down of a target.
class HalfRoutes {
 public:
  HalfRoutes(sg::NetZone& zone, const Network& network, int rate_exponent)
      : zone_(zone),
        network_(network),
        rate_exponent_(rate_exponent),
        links_(network.links.size(), nullptr) {}

  sg::Host* host(Way way, std::span<const LinkId> links) {
    auto& known = hosts_[static_cast<std::size_t>(way)];
    const auto [at, is_new] = known.try_emplace({links.begin(), links.end()}, nullptr);
    if (is_new) at->second = make(way, links, known.size());
    return at->second;
  }

 private:
  sg::Host* make(Way way, std::span<const LinkId> links, std::size_t number) {
    std::vector<sg::LinkInRoute> list;
    for (const LinkId id : links) list.emplace_back(link(static_cast<std::size_t>(id)));
    const bool up = way == Way::up;
    sg::Host* host = zone_.create_host((up ? "up" : "down") + std::to_string(number), 1.0);
    simgrid::kernel::routing::NetPoint* point = host->get_netpoint();
    zone_.add_route(up ? point : nullptr, up ? nullptr : point, nullptr, nullptr, list, false);
    return host;
  }

  const sg::Link* link(std::size_t id) {
    if (links_[id] == nullptr) {
      const double rate = scaled_rate(network_.links[id].bytes_per_second, rate_exponent_);
      links_[id] = zone_.create_link("link" + std::to_string(id), rate)->seal();
    }
    return links_[id];
  }

  sg::NetZone& zone_;
  const Network& network_;
  int rate_exponent_;
  std::vector<const sg::Link*> links_;
  std::array<std::map<std::vector<LinkId>, sg::Host*>, 2> hosts_;
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
  zone_->create_host("first", 1.0);  // an engine without hosts dies when it runs
  HalfRoutes halves(*zone_, network, rate_exponent);
  for (std::size_t id = 0; id < ends_.size(); ++id) {
    if (!used[id]) continue;
    const std::span<const LinkId> links = network.routes[id].links;
    const std::size_t half = (links.size() + 1) / 2;
    ends_[id] = {halves.host(Way::up, links.first(half)),
                 halves.host(Way::down, links.subspan(half))};
  }
  zone_->seal();
}

}  // namespace lockstep::detail
