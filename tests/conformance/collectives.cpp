// SPDX-License-Identifier: Apache-2.0
// Every registered collective: it does what it is for (its messages carried out symbolically), its
// flows are its messages, and its runs equal the formula it claims.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "lockstep/sim/collectives/collective.hpp"
#include "lockstep/sim/engine/engine.hpp"
#include "lockstep/sim/lower/collective.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/random.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::Assumption;
using lockstep::CollectiveFlow;
using lockstep::CollectiveInfo;
using lockstep::CollectiveMessage;
using lockstep::CollectiveRun;
using lockstep::CollectiveShape;
using lockstep::CollectiveSpec;
using lockstep::Fidelity;
using lockstep::testing::Random;
namespace tolerance = lockstep::tolerance;

/// Every shape of up to 33 ranks that an algorithm tells apart.
std::vector<CollectiveShape> shapes_of(const CollectiveInfo& info) {
  std::vector<CollectiveShape> list;
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33}) {
    if (info.uses_nodes)
      for (std::int64_t per_node = 1; per_node < ranks; ++per_node)
        if (ranks % per_node == 0) list.push_back({ranks, per_node});
    list.push_back({ranks, ranks});
  }
  return list;
}

std::string title(const CollectiveShape& shape) {
  return std::to_string(shape.ranks) + " ranks, " + std::to_string(shape.per_node) + " a node";
}

std::string title(const CollectiveInfo& info) {
  return std::string(info.name) + " " + std::string(info.operation);
}

/// What every rank holds of every part while messages are carried out: how often the contribution
/// of each rank is in it.
class Buffers {
 public:
  using Counts = std::map<std::int32_t, int>;  // by contributor

  void put(std::int32_t rank, std::int32_t part) { held_[{rank, part}][rank] = 1; }

  /// One step: all its messages carry what was there before it.
  void step(const std::vector<CollectiveMessage>& messages) {
    const auto before = held_;
    for (const CollectiveMessage& message : messages)
      for (std::int32_t part = message.part; part < message.part + message.parts; ++part) {
        Counts& target = held_[{message.to, part}];
        if (!message.reduces) target.clear();
        const auto sent = before.find({message.from, part});
        if (sent == before.end()) continue;  // it sends what it does not have
        for (const auto& [rank, count] : sent->second) target[rank] += count;
      }
  }
  void run(const std::vector<CollectiveMessage>& messages) {
    std::map<std::int32_t, std::vector<CollectiveMessage>> by_step;
    for (const CollectiveMessage& message : messages) by_step[message.step].push_back(message);
    for (const auto& [number, sent] : by_step) step(sent);
  }
  [[nodiscard]] const Counts& held(std::int32_t rank, std::int32_t part) {
    return held_[{rank, part}];
  }

 private:
  std::map<std::pair<std::int32_t, std::int32_t>, Counts> held_;  // by rank and part
};

/// At the end every rank has every contribution to every part, once.
bool all_reduces(const std::vector<CollectiveMessage>& messages, std::int32_t ranks,
                 std::int32_t parts) {
  Buffers buffers;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    for (std::int32_t part = 0; part < parts; ++part) buffers.put(rank, part);
  buffers.run(messages);
  Buffers::Counts wanted;
  for (std::int32_t rank = 0; rank < ranks; ++rank) wanted[rank] = 1;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    for (std::int32_t part = 0; part < parts; ++part)
      if (buffers.held(rank, part) != wanted) return false;
  return true;
}

/// Part f n + t is what rank f has for rank t: at the end t has it, as f made it.
bool all_to_all(const std::vector<CollectiveMessage>& messages, std::int32_t ranks, std::int32_t) {
  Buffers buffers;
  for (std::int32_t from = 0; from < ranks; ++from)
    for (std::int32_t to = 0; to < ranks; ++to) buffers.put(from, from * ranks + to);
  buffers.run(messages);
  for (std::int32_t from = 0; from < ranks; ++from)
    for (std::int32_t to = 0; to < ranks; ++to)
      if (buffers.held(to, from * ranks + to) != Buffers::Counts{{from, 1}}) return false;
  return true;
}

/// What an operation is for, and how many times the ranks' message all its parts together are.
struct Meaning {
  bool (*holds)(const std::vector<CollectiveMessage>&, std::int32_t ranks, std::int32_t parts);
  bool parts_of_one_message;  // else of the messages of all ranks
};
const std::map<std::string_view, Meaning> meanings = {{"all-reduce", {&all_reduces, true}},
                                                      {"all-to-all", {&all_to_all, false}}};

struct Traffic {
  std::int64_t messages = 0;
  double share = 0.0;
};
using TrafficByEdge = std::map<std::pair<std::int32_t, std::int32_t>, Traffic>;

/// Whether the formula of the claim is to be met, or holds fitted constants.
bool exact_claim(const CollectiveInfo& info) {
  const auto& list = info.claim.assumptions;
  return std::find(list.begin(), list.end(), Assumption::fitted_constants) == list.end();
}

CollectiveSpec random_spec(Random& random, const CollectiveShape& shape) {
  CollectiveSpec spec;
  spec.ranks = shape.ranks;
  spec.per_node = shape.per_node;
  spec.message = lockstep::Bytes(random.log_between(1.0, 1e12));
  for (lockstep::LinkClass* link : {&spec.near, &spec.far}) {
    link->rate = lockstep::BytesPerSecond(random.log_between(1e6, 1e12));
    link->latency = lockstep::Seconds(random.log_between(1e-7, 1e-2));
  }
  return spec;
}

/// When the last message arrives, by hand: a rank sends one message at a time and a part after what
/// it received of it; a step waits for the whole step before where the algorithm says so.
double last_arrival(const lockstep::CollectiveCall& call) {
  std::map<std::int32_t, double> sent;                               // by rank
  std::map<std::pair<std::int32_t, std::int32_t>, double> received;  // by rank and part
  std::int32_t step = 0;
  double before = 0.0;  // the end of all steps before
  double last = 0.0;
  for (const CollectiveMessage& message : call.algorithm->messages(call.shape)) {
    if (message.step != step && call.algorithm->steps_in_sequence) before = last;
    step = message.step;
    double start = std::max(before, sent[message.from]);
    for (std::int32_t part = message.part; part < message.part + message.parts; ++part)
      start = std::max(start, received[{message.from, part}]);
    const double end = start + call.hop(message.from, message.to).latency;
    sent[message.from] = end;
    last = std::max(last, end);
    for (std::int32_t part = message.part; part < message.part + message.parts; ++part) {
      double& arrival = received[{message.to, part}];
      arrival = std::max(arrival, end);
    }
  }
  return last;
}

void check_claim(const CollectiveInfo& info, const CollectiveSpec& spec, Fidelity fidelity,
                 bool real_links) {
  CollectiveRun run;
  run.algorithm = &info;
  run.fidelity = fidelity;
  lockstep::EngineOptions options;
  options.exclusive_as_flows = real_links;
  const lockstep::Job job = lower_collective(spec, run);
  const double wanted = info.closed_form(spec.message, shape_of(spec), spec.near, spec.far).si();
  const double path = critical_path(job.graph, job.network).last_end();
  const double simulated = simulate(job.graph, job.network, options).last_end();
  INFO(title(info) << " of " << title(shape_of(spec)) << ", " << name_of(fidelity)
                   << (real_links ? " on real links: " : ": ") << spec.message.si() << " byte, "
                   << spec.near.rate.si() << " and " << spec.far.rate.si() << " byte/s, "
                   << spec.near.latency.si() << " and " << spec.far.latency.si() << " s");
  CHECK(tolerance::equal(path, simulated, tolerance::simulation));
  if (!exact_claim(info)) return;
  CHECK(tolerance::equal(path, wanted, info.claim.tolerance));
  CHECK(tolerance::equal(simulated, wanted, info.claim.tolerance));
}

}  // namespace

TEST_CASE("collectives describe themselves", "[collectives]") {
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      CHECK_FALSE(info->summary.empty());
      CHECK_FALSE(info->source.empty());
      CHECK_FALSE(info->claim.formula.empty());
      CHECK(info->claim.tolerance <= 1e-9);
      CHECK(lockstep::find_collective(info->operation, info->name) == info);
    }
  CHECK(lockstep::find_collective("all-reduce", "none") == nullptr);
  CHECK(lockstep::find_collective("none", "ring") == nullptr);
}

TEST_CASE("collectives: messages are between ranks, in the order of steps", "[collectives]") {
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      for (const CollectiveShape& shape : shapes_of(*info)) {
        INFO(title(shape));
        bool valid = true;
        std::int32_t step = 0;
        for (const CollectiveMessage& message : info->messages(shape)) {
          valid = valid && message.step >= step && message.from >= 0 &&
                  message.from < shape.ranks && message.to >= 0 && message.to < shape.ranks &&
                  message.from != message.to && message.part >= 0 && message.parts >= 1 &&
                  message.part + message.parts <= info->parts(shape);
          step = message.step;
        }
        CHECK(valid);
      }
    }
}

TEST_CASE("collectives do what they are for", "[collectives]") {
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      const auto found = meanings.find(info->operation);
      INFO("operation " << info->operation << " needs a line in this file");
      REQUIRE(found != meanings.end());
      const Meaning& meaning = found->second;
      for (const CollectiveShape& shape : shapes_of(*info)) {
        if (shape.ranks == 1) continue;
        INFO(title(shape));
        const auto ranks = static_cast<std::int32_t>(shape.ranks);
        const auto parts = static_cast<std::int32_t>(info->parts(shape));
        std::vector<CollectiveMessage> messages = info->messages(shape);
        CHECK(meaning.holds(messages, ranks, parts));
        const double part = (meaning.parts_of_one_message ? 1.0 : ranks) / parts;
        bool sizes = true;
        for (const CollectiveMessage& message : messages)
          sizes = sizes && tolerance::equal(message.share, message.parts * part, tolerance::exact);
        CHECK(sizes);
        // With one message less it no longer does: the check above can fail.
        messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(messages.size() / 2));
        CHECK_FALSE(meaning.holds(messages, ranks, parts));
      }
    }
}

TEST_CASE("collectives: flows are the messages of each edge, and all are counted",
          "[collectives]") {
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      for (const CollectiveShape& shape : shapes_of(*info)) {
        INFO(title(shape));
        const std::vector<CollectiveMessage> messages = info->messages(shape);
        const std::vector<CollectiveFlow> flows = info->flows(shape);
        TrafficByEdge by_messages;
        for (const CollectiveMessage& message : messages) {
          Traffic& edge = by_messages[{message.from, message.to}];
          ++edge.messages;
          edge.share += message.share;
        }
        TrafficByEdge by_flows;
        std::int32_t phase = 0;
        for (const CollectiveFlow& flow : flows) {
          CHECK(flow.phase >= phase);
          phase = flow.phase;
          Traffic& edge = by_flows[{flow.from, flow.to}];
          edge.messages += flow.messages;
          edge.share += flow.share;
        }
        REQUIRE(by_flows.size() == by_messages.size());
        for (const auto& [edge, traffic] : by_messages) {
          CHECK(by_flows[edge].messages == traffic.messages);
          CHECK(tolerance::equal(by_flows[edge].share, traffic.share, tolerance::exact));
        }
        CHECK(info->message_count(shape) == static_cast<double>(messages.size()));
        CHECK(info->flow_count(shape) == static_cast<double>(flows.size()));
      }
    }
}

TEST_CASE("collectives: one rank sends nothing and takes no time", "[collectives]") {
  Random random(20261128);
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      const CollectiveShape alone{1, 1};
      CHECK(info->messages(alone).empty());
      CHECK(info->flows(alone).empty());
      CHECK(info->message_count(alone) == 0.0);
      const CollectiveSpec spec = random_spec(random, alone);
      CHECK(info->closed_form(spec.message, alone, spec.near, spec.far).si() == 0.0);
    }
}

TEST_CASE("collectives: closed form = critical path = simulation on timers", "[collectives]") {
  Random random(20261129);
  constexpr int draws = 3;
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      for (const CollectiveShape& shape : shapes_of(*info))
        for (const Fidelity fidelity : {Fidelity::flows, Fidelity::steps})
          for (int i = 0; i < draws; ++i)
            check_claim(*info, random_spec(random, shape), fidelity, false);
    }
}

TEST_CASE("collectives: closed form = critical path = simulation on real links", "[collectives]") {
  Random random(20261130);
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      for (const CollectiveShape& shape : shapes_of(*info))
        for (const Fidelity fidelity : {Fidelity::flows, Fidelity::steps})
          if (shape.ranks <= 9) check_claim(*info, random_spec(random, shape), fidelity, true);
    }
}

TEST_CASE("collectives at steps wait for what they pass on, whatever each hop takes",
          "[collectives]") {
  Random random(20261133);
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      for (const CollectiveShape& shape : shapes_of(*info)) {
        if (shape.ranks > 9) continue;
        INFO(title(shape));
        const auto ranks = static_cast<std::size_t>(shape.ranks);
        const std::vector<double> seconds = random.list(ranks * ranks, 0.1, 2.0);
        lockstep::CollectiveCall call;
        call.algorithm = info;
        call.shape = shape;
        call.fidelity = Fidelity::steps;
        for (std::int32_t rank = 0; rank < shape.ranks; ++rank) call.devices.push_back(rank);
        call.hop = [&](std::int32_t from, std::int32_t to) {
          return lockstep::Hop{
              lockstep::no_route,
              seconds[static_cast<std::size_t>(from) * ranks + static_cast<std::size_t>(to)]};
        };
        lockstep::TaskGraphBuilder builder;
        lockstep::add_collective(builder, call);
        const lockstep::TaskGraph graph = std::move(builder).build();
        CHECK_THAT(critical_path(graph, {}).last_end(),
                   Catch::WithinRel(last_arrival(call), tolerance::critical_path));
      }
    }
}

TEST_CASE("collectives: no bytes, and no latency", "[collectives]") {
  Random random(20261131);
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      for (const Fidelity fidelity : {Fidelity::flows, Fidelity::steps})
        for (const bool real_links : {false, true}) {
          CollectiveSpec spec = random_spec(random, {4, info->uses_nodes ? 2 : 4});
          const CollectiveSpec whole = spec;
          spec.near.latency = spec.far.latency = lockstep::Seconds(0.0);
          check_claim(*info, spec, fidelity, real_links);
          spec.message = lockstep::Bytes(0.0);
          check_claim(*info, spec, fidelity, real_links);
          spec.near = whole.near;
          spec.far = whole.far;
          check_claim(*info, spec, fidelity, real_links);
        }
    }
}

TEST_CASE("collectives at fidelity formula take the closed form, by construction",
          "[collectives]") {
  Random random(20261132);
  for (const CollectiveInfo* info : lockstep::collectives()) DYNAMIC_SECTION(title(*info)) {
      const CollectiveSpec spec = random_spec(random, {4, info->uses_nodes ? 2 : 4});
      CollectiveRun run;
      run.algorithm = info;
      run.fidelity = Fidelity::formula;
      run.closed_form = lockstep::Seconds(1.25);
      const lockstep::Job job = lower_collective(spec, run);
      CHECK(job.by_construction);
      CHECK(simulate(job.graph, job.network).last_end() == 1.25);
    }
}
