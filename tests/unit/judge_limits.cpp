// SPDX-License-Identifier: Apache-2.0
// Scenarios at the edge of what the cross-check can tell: no time at all, small differences of
// large numbers, and groups that leave a rest. They come out equal, or say which assumption they
// break.
#include <string>
#include <vector>

#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/problems.hpp"

namespace {

void check_all_equal(const std::string& json) {
  const auto scenario = lockstep::scenario_from_json(json, "edge");
  CHECK(scenario->broken().empty());
  for (const lockstep::Row& row : judge(*scenario)) {
    INFO(row.quantity << ": " << row.simulation << " by simulation, " << row.formula
                      << " by formula, residual " << row.residual << ": " << row.reason);
    CHECK(row.verdict == lockstep::Verdict::equal);
  }
}

}  // namespace

TEST_CASE("a pipeline of no time at all is refused: it has no bubble", "[judge]") {
  const auto read = [] {
    return lockstep::read_scenario(
        lockstep::parse_json(R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 4,
                                 "simulation": {"forward_s": 0, "backward_s": 0}})",
                             "a.json"),
        "a");
  };
  CHECK_THAT(lockstep::testing::words(lockstep::testing::problems_of(read)),
             Catch::StartsWith("a.json:/simulation") && Catch::Contains("no time"));
}

TEST_CASE("a very small bubble", "[judge]") {
  check_all_equal(R"({"kind": "pipeline-schedule", "stages": 2, "microbatches": 200000,
                      "simulation": {"forward_s": 0.1, "backward_s": 0.3}})");
}

TEST_CASE("very little communication after a long computation", "[judge]") {
  check_all_equal(R"({"kind": "data-parallel-scale-out",
    "workload": {"kind": "Workload", "parameters": 1e6}, "step_time_s": 0.7,
    "training_time_s": 90000, "per_device_batch": 16, "devices_per_node": 8, "nodes": 1,
    "intra_bandwidth_bytes_per_s": 450e9, "accumulation_steps": 640})");
}

TEST_CASE("interleaved in groups of which the last is smaller than the pipeline is deep",
          "[judge]") {
  // The stages divide the microbatches, yet the step is longer than its formula.
  const auto scenario = lockstep::scenario_from_json(
      R"({"kind": "pipeline-schedule", "stages": 2, "microbatches": 4,
          "simulation": {"virtual_stages": 2, "group": 3}})",
      "edge");
  for (const lockstep::Row& row : judge(*scenario)) {
    INFO(sentence_for(row));
    CHECK(row.verdict != lockstep::Verdict::mismatch);
  }
}

TEST_CASE("interleaved with microbatches that the stages do not divide is judged", "[judge]") {
  const auto scenario = lockstep::scenario_from_json(
      R"({"kind": "pipeline-schedule", "stages": 8, "microbatches": 12,
          "simulation": {"virtual_stages": 2}})",
      "edge");
  std::vector<lockstep::Row> rows;
  REQUIRE_NOTHROW(rows = judge(*scenario));
  for (const lockstep::Row& row : rows) CHECK(row.verdict == lockstep::Verdict::explained);
}
