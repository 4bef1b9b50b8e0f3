// SPDX-License-Identifier: Apache-2.0
// Random rings: on private links the closed form at flows and at steps, on timers and as real
// flows; on shared links as many times the bytes.
#include <fmt/format.h>

#include "lockstep/analytic/formulas/ring_all_reduce.hpp"
#include "lockstep/sim/engine/engine.hpp"
#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/lower/collective.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/property.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::CollectiveRun;
using lockstep::CollectiveSpec;
using lockstep::Fidelity;
using lockstep::testing::drawn;
using lockstep::testing::drawn_flag;
using lockstep::testing::drawn_log;
namespace tolerance = lockstep::tolerance;

CollectiveSpec drawn_ring(std::int64_t most_ranks) {
  CollectiveSpec spec;
  spec.ranks = drawn(1, most_ranks);
  spec.message = lockstep::Bytes(drawn_flag() ? drawn_log(1.0, 1e13) : 0.0);
  spec.per_node = spec.ranks;
  spec.near.rate = lockstep::BytesPerSecond(drawn_log(1e3, 1e13));
  spec.near.latency = lockstep::Seconds(drawn_flag() ? drawn_log(1e-9, 1.0) : 0.0);
  spec.far = spec.near;
  return spec;
}

CollectiveRun drawn_run() {
  CollectiveRun run;
  run.algorithm = lockstep::find_collective("all-reduce", "ring");
  run.fidelity = drawn_flag() ? Fidelity::flows : Fidelity::steps;
  return run;
}

}  // namespace

TEST_CASE("random rings", "[property]") {
  lockstep::testing::property("on private links: the closed form", [] {
    const CollectiveSpec spec = drawn_ring(16);
    const CollectiveRun run = drawn_run();
    lockstep::EngineOptions options;
    options.exclusive_as_flows = drawn_flag();
    const lockstep::Job job = lower_collective(spec, run);
    const double wanted =
        ring_all_reduce(spec.message, spec.ranks, spec.near.rate, spec.near.latency).si();
    RC_ASSERT(tolerance::equal(critical_path(job.graph, job.network).last_end(), wanted,
                               tolerance::critical_path));
    RC_ASSERT(tolerance::equal(simulate(job.graph, job.network, options).last_end(), wanted,
                               tolerance::simulation));
    const double messages = run.fidelity == Fidelity::steps
                                ? run.algorithm->message_count(shape_of(spec))
                                : static_cast<double>(spec.ranks > 1 ? spec.ranks : 0);
    RC_ASSERT(static_cast<double>(job.messages) == messages);
  });
  lockstep::testing::property("several on the same links: as one of so many times the bytes", [] {
    const CollectiveSpec spec = drawn_ring(8);
    CollectiveRun run = drawn_run();
    run.concurrent = drawn(2, 4);
    const lockstep::Job job = lower_collective(spec, run);
    const double shared = static_cast<double>(run.concurrent);
    const double wanted =
        ring_all_reduce(shared * spec.message, spec.ranks, spec.near.rate, spec.near.latency).si();
    const double simulated = simulate(job.graph, job.network).last_end();
    RC_ASSERT(tolerance::equal(simulated, wanted, tolerance::simulation));
    RC_ASSERT(critical_path(job.graph, job.network).last_end() <=
              simulated * (1.0 + tolerance::simulation));
  });
  lockstep::testing::property("the judge finds no mismatch", [] {
    const std::string json = fmt::format(
        R"({{"kind": "collective", "function": "ring_allreduce", "n": {}, "message_bytes": {},)"
        R"( "bandwidth_bytes_per_s": {}, "latency_s": {},)"
        R"( "simulation": {{"fidelity": "{}", "concurrent": {}}}}})",
        drawn(1, 9), drawn_log(1.0, 1e12), drawn_log(1e6, 1e12), drawn_log(1e-9, 1e-2),
        drawn_flag() ? "flows" : "steps", drawn(1, 3));
    const auto scenario = lockstep::scenario_from_json(json, "random");
    for (const lockstep::Row& row : judge(*scenario)) {
      RC_LOG() << json << "\n" << sentence_for(row) << "\n";
      RC_ASSERT(row.verdict == lockstep::Verdict::equal ||
                row.verdict == lockstep::Verdict::explained);
    }
  });
}
