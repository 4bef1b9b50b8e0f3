// SPDX-License-Identifier: Apache-2.0
// Every registered formula describes itself; claims name formulas that exist; limits that a
// formula must have whatever its numbers.
#include "lockstep/analytic/formulas.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "lockstep/analytic/formulas/data_parallel_scale_out.hpp"
#include "lockstep/analytic/formulas/pipeline_bubble.hpp"
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"
#include "lockstep/platforms/registry.hpp"
#include "lockstep/sim/collectives/collective.hpp"
#include "lockstep/sim/schedules/schedule.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/random.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::Assumption;
using lockstep::Bytes;
using lockstep::BytesPerSecond;
using lockstep::FormulaInfo;
using lockstep::Seconds;
using lockstep::testing::Random;

bool lower_snake(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Assumptions named once each, and only such as there are.
void check_assumptions(const std::vector<Assumption>& list) {
  const std::set<Assumption> unique(list.begin(), list.end());
  CHECK(unique.size() == list.size());
  for (const Assumption assumption : list)
    CHECK(static_cast<std::size_t>(assumption) < lockstep::assumptions().size());
}

double ring(double bytes, std::int64_t ranks, double rate, double latency) {
  return ring_all_reduce(Bytes(bytes), ranks, BytesPerSecond(rate), Seconds(latency)).si();
}

}  // namespace

TEST_CASE("formulas describe themselves", "[formulas]") {
  std::set<std::string_view> names;
  for (const FormulaInfo* info : lockstep::formulas()) DYNAMIC_SECTION(info->name) {
      CHECK(lower_snake(info->name));
      CHECK(info->statement.size() > 5);
      CHECK_FALSE(info->source.empty());
      CHECK_FALSE(info->symbols.empty());
      std::set<std::string_view> symbols;
      for (const lockstep::SymbolInfo& symbol : info->symbols) {
        INFO(symbol.symbol);
        CHECK_FALSE(symbol.symbol.empty());
        CHECK(symbol.meaning.size() > 3);
        CHECK(symbols.insert(symbol.symbol).second);
      }
      check_assumptions(info->assumptions);
    }
  for (const FormulaInfo* info : lockstep::formulas()) CHECK(names.insert(info->name).second);
}

TEST_CASE("assumptions are listed in the order of their enum, once each", "[formulas]") {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const lockstep::AssumptionInfo& info : lockstep::assumptions()) {
    INFO(info.name);
    CHECK(static_cast<std::size_t>(info.id) == index++);
    CHECK(lower_snake(info.name));
    CHECK(info.statement.size() > 10);
    CHECK(names.insert(info.name).second);
    CHECK(name_of(info.id) == info.name);
    CHECK(statement_of(info.id) == info.statement);
  }
}

TEST_CASE("every claim names a formula that is listed, and its assumptions", "[formulas]") {
  const auto check = [](const lockstep::Claim& claim) {
    INFO(claim.formula);
    CHECK(lockstep::find_by_name(lockstep::formulas(), claim.formula) != nullptr);
    check_assumptions(claim.assumptions);
  };
  for (const lockstep::ScheduleInfo* info : lockstep::schedules()) check(info->claim);
  for (const lockstep::CollectiveInfo* info : lockstep::collectives()) check(info->claim);
}

TEST_CASE("pipeline bubble: in [0, 1), zero for one stage, vanishing with m and V", "[formulas]") {
  for (const std::int64_t stages : {1, 2, 3, 8, 64, 1000}) {
    double before = 1.0;
    for (const std::int64_t microbatches : {1, 2, 10, 1000, 1'000'000, 1'000'000'000}) {
      INFO("p=" << stages << " m=" << microbatches);
      const double bubble = lockstep::pipeline_bubble(stages, microbatches);
      CHECK(bubble >= 0.0);
      CHECK(bubble < 1.0);
      CHECK((stages == 1 ? bubble == 0.0 : bubble < before));
      CHECK(lockstep::pipeline_bubble(stages, microbatches, 2) <= bubble);
      CHECK(lockstep::pipeline_bubble(stages, microbatches, 2) ==
            lockstep::pipeline_bubble(stages, 2 * microbatches));
      before = bubble;
    }
    CHECK(before <= static_cast<double>(stages) * 1e-9);
  }
}

TEST_CASE("pipeline makespan is the busy time over one minus the bubble", "[formulas]") {
  for (const std::int64_t stages : {1, 2, 7, 64})
    for (const std::int64_t microbatches : {1, 5, 256})
      for (const std::int64_t chunks : {1, 3}) {
        const double busy = static_cast<double>(chunks * microbatches) * 0.3;
        const double bubble = lockstep::pipeline_bubble(stages, microbatches, chunks);
        CHECK(lockstep::tolerance::equal(
            lockstep::pipeline_makespan(stages, microbatches, chunks, Seconds(0.3)).si(),
            busy / (1.0 - bubble), lockstep::tolerance::exact));
      }
}

TEST_CASE("ring all-reduce: monotonic in every input, with its limits", "[formulas]") {
  Random random(20261129);
  constexpr int draws = 200;
  for (int i = 0; i < draws; ++i) {
    const double bytes = random.log_between(1.0, 1e12);
    const double rate = random.log_between(1e6, 1e12);
    const double latency = random.log_between(1e-7, 1e-3);
    const auto ranks = static_cast<std::int64_t>(random.between(2.0, 1000.0));
    INFO(bytes << " byte, " << ranks << " ranks, " << rate << " byte/s, " << latency << " s");
    const double time = ring(bytes, ranks, rate, latency);
    CHECK(time > 0.0);
    CHECK(ring(bytes, ranks, rate * 2.0, latency) < time);
    CHECK(ring(bytes * 2.0, ranks, rate, latency) > time);
    CHECK(ring(bytes, ranks, rate, latency * 2.0) > time);
    CHECK(ring(bytes, ranks + 1, rate, latency) > time);
    CHECK(ring(bytes, 1, rate, latency) == 0.0);
    CHECK(ring(bytes, ranks, rate, 0.0) < 2.0 * bytes / rate);  // the large-ring limit
    CHECK(lockstep::tolerance::equal(ring(bytes, 1'000'000'000, rate, 0.0), 2.0 * bytes / rate,
                                     2e-9));
    CHECK(lockstep::tolerance::equal(ring(bytes * 8.0, ranks, rate * 8.0, latency), time,
                                     lockstep::tolerance::exact));
  }
}

TEST_CASE("scale-out: faster links never slow the step; accumulation hides them", "[formulas]") {
  lockstep::DataParallelScaleOutSpec spec;
  spec.workload.parameters = 1.5e9;
  spec.step_time = Seconds(1.8);
  spec.training_time = Seconds(90000.0);
  spec.devices_per_node = 8;
  spec.nodes = 4;
  spec.intra_bandwidth = BytesPerSecond(450e9);
  const auto efficiency = [&] {
    return *predict_data_parallel_scale_out(spec).outputs.find("efficiency")->real();
  };
  double before = 0.0;
  for (const double rate : {1e8, 1e9, 1e10, 1e11, 1e15}) {
    spec.inter_bandwidth = BytesPerSecond(rate);
    CHECK(efficiency() > before);
    before = efficiency();
  }
  spec.inter_bandwidth = BytesPerSecond(1.25e9);
  before = 0.0;
  for (const std::int64_t steps : {1, 4, 64, 1'000'000}) {
    spec.accumulation_steps = steps;
    CHECK(efficiency() > before);
    before = efficiency();
  }
  CHECK(before < 1.0);
  CHECK(before > 0.99999);
}
