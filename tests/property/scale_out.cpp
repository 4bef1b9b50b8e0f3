// SPDX-License-Identifier: Apache-2.0
// Random data-parallel jobs: formula = critical path = simulation while links between nodes are no
// faster than those inside, and explained where they are.
#include <fmt/format.h>

#include <string>

#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/property.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::Row;
using lockstep::Verdict;
using lockstep::testing::drawn;
using lockstep::testing::drawn_between;
using lockstep::testing::drawn_flag;
using lockstep::testing::drawn_log;

/// A job whose computation and communication are within some orders of magnitude of each other: the
/// row of the communication time is a difference of the two.
std::string drawn_job(double inter_over_intra) {
  const double parameters = drawn_log(1e5, 1e12);
  const double intra = drawn_log(1e8, 1e12);
  const double step = drawn_log(1e-3, 1e3) * 2.0 * parameters / intra;
  return fmt::format(
      R"({{"kind": "data-parallel-scale-out", "workload": {{"kind": "Workload", "parameters": {}}},)"
      R"( "precision": "{}", "step_time_s": {}, "training_time_s": {}, "per_device_batch": {},)"
      R"( "devices_per_node": {}, "nodes": {}, "intra_bandwidth_bytes_per_s": {},)"
      R"( "inter_bandwidth_bytes_per_s": {}, "accumulation_steps": {},)"
      R"( "simulation": {{"fidelity": "{}"}}}})",
      parameters, drawn_flag() ? "fp16" : "fp32", step, step * 1e5, drawn(1, 64), drawn(1, 6),
      drawn(1, 5), intra, intra * inter_over_intra, drawn(1, 6), drawn_flag() ? "flows" : "steps");
}

}  // namespace

TEST_CASE("random scale-out jobs", "[property]") {
  lockstep::testing::property("slower links between nodes: three equal answers", [] {
    const std::string json = drawn_job(drawn_log(1e-3, 1.0));
    lockstep::JudgeOptions options;
    options.engine.exclusive_as_flows = drawn(0, 3) == 0;
    const auto scenario = lockstep::scenario_from_json(json, "random");
    for (const Row& row : judge(*scenario, options)) {
      RC_LOG() << json << "\n" << row.quantity << ": " << sentence_for(row) << "\n";
      RC_ASSERT(row.verdict == Verdict::equal);
      RC_ASSERT(row.residual <= lockstep::tolerance::simulation);
    }
  });
  lockstep::testing::property("faster links between nodes: explained, and no faster", [] {
    const std::string json = drawn_job(drawn_between(1.001, 10.0));
    const auto scenario = lockstep::scenario_from_json(json, "random");
    const bool broken = !scenario->broken().empty();
    for (const Row& row : judge(*scenario)) {
      RC_LOG() << json << "\n" << row.quantity << ": " << sentence_for(row) << "\n";
      RC_ASSERT(row.verdict == (broken ? Verdict::explained : Verdict::equal));
      RC_ASSERT(row.simulation >= row.formula * (1.0 - lockstep::tolerance::simulation));
    }
  });
}
