// SPDX-License-Identifier: Apache-2.0
// Schedules with known makespans and live microbatches (schedules.json), by critical path and by
// simulation. Cases of schedules that are not registered are counted apart.
#include <fstream>
#include <iostream>
#include <sstream>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/registry.hpp"
#include "lockstep/sim/engine/engine.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/sim/schedules/schedule.hpp"
#include "lockstep/sim/timeline_of.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/tolerances.hpp"
#include "lockstep/traces/metrics.hpp"

namespace lockstep {
namespace {

double number_at(const Table& table, std::string_view key, double otherwise) {
  const Value* value = table.find(key);
  if (value == nullptr) return otherwise;
  if (const std::int64_t* integer = value->integer()) return static_cast<double>(*integer);
  return value->real() == nullptr ? otherwise : *value->real();
}

// The case as a scenario: one time unit is a millisecond.
Document scenario_of(const Table& one) {
  constexpr double unit = 1e-3;
  Table simulation;
  simulation.set("schedule", *one.find("schedule"));
  simulation.set("forward_s", unit * number_at(one, "forward", 1.0));
  simulation.set("backward_s", unit * number_at(one, "backward", 2.0));
  for (const char* key : {"group", "stage_scale"})
    if (const Value* value = one.find(key)) simulation.set(key, *value);
  Table root;
  root.set("kind", "pipeline-schedule");
  for (const char* key : {"stages", "microbatches", "virtual_stages"})
    if (const Value* value = one.find(key)) root.set(key, *value);
  root.set("simulation", Value(std::move(simulation)));
  return Document{"case", std::move(root), "case"};
}

void check_live(const Value& wanted, const Job& job, const TaskTimes& times) {
  const Timeline timeline = timeline_of(job, times);
  const auto devices = device_figures(timeline, times.last_end());
  REQUIRE(wanted.array() != nullptr);
  REQUIRE(devices.size() == wanted.array()->size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    CHECK(devices[i].peak_live_microbatches == *(*wanted.array())[i].integer());
}

void check_case(const Table& one) {
  if (one.find("error") != nullptr) {
    CHECK_THROWS_AS(read_scenario(scenario_of(one), "case"), Error);
    return;
  }
  const auto scenario = read_scenario(scenario_of(one), "case");
  const Job job = scenario->lower();
  const TaskTimes run = simulate(job.graph, job.network);
  if (one.find("makespan") != nullptr) {
    const double wanted = 1e-3 * number_at(one, "makespan", 0.0);
    for (const TaskTimes& times : {critical_path(job.graph, job.network), run})
      CHECK(times.last_end() == Approx(wanted).epsilon(tolerance::simulation));
  }
  if (const Value* live = one.find("peak_live_microbatches")) check_live(*live, job, run);
}

}  // namespace

TEST_CASE("schedules with known makespans and memory") {
  std::ifstream in(std::string(LOCKSTEP_SOURCE_DIR) + "/tests/golden/schedules.json");
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  const Document cases = parse_json(text.str(), "schedules.json");
  int held = 0;
  int to_come = 0;
  for (const Value& one : *cases.root.find("cases")->array()) {
    const std::string& name = *one.table()->find("schedule")->text();
    INFO(to_json(one));
    if (find_by_name(schedules(), name) == nullptr) {
      ++to_come;
      continue;
    }
    check_case(*one.table());
    ++held;
  }
  std::cout << "golden schedules: " << held << " cases hold, " << to_come
            << " of schedules not registered\n";
  CHECK(held >= 21);
}

}  // namespace lockstep
