// SPDX-License-Identifier: Apache-2.0
// Random valid distributed steps: equal to the solver's formula, or explained; never a mismatch.
#include <fmt/format.h>

#include <string>

#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/property.hpp"

namespace {

using lockstep::Row;
using lockstep::Verdict;
using lockstep::testing::drawn;
using lockstep::testing::drawn_between;
using lockstep::testing::drawn_flag;
using lockstep::testing::drawn_log;

std::string drawn_fleet(std::int64_t replica, std::int64_t replicas, bool filled) {
  // A node holds a whole number of replicas, or not: then placement matters.
  const std::int64_t total = replica * replicas;
  std::int64_t per_node = filled ? replica : drawn(1, 9);
  while (total % per_node != 0) --per_node;
  return fmt::format(
      R"({{"nodes":{},"accelerators_per_node":{},"intra_node_bw_bytes_per_s":{},)"
      R"("accelerator":"Cloud.H100","fabric":{{"bandwidth_bytes_per_s":{},"latency_s":{}}}}})",
      total / per_node, per_node, drawn_log(1e10, 1e12), drawn_log(1e9, 1e12),
      drawn_log(1e-7, 1e-4));
}

std::string drawn_step(bool filled) {
  const std::int64_t tp = drawn(1, 4);
  const std::int64_t pp = drawn(1, 4);
  const std::int64_t ep = drawn_flag() ? 1 : drawn(2, 4);
  const std::int64_t dp = drawn(1, 6);
  const std::int64_t microbatches = drawn(1, 3) * (filled ? pp : 1) + (filled ? 0 : drawn(0, 3));
  return fmt::format(
      R"({{"kind":"distributed-step","workload":{{"kind":"TransformerWorkload","parameters":{},)"
      R"("layers":{},"hidden_dim":{},"heads":8}},"fleet":{},"batch_size":{},"tp_size":{},)"
      R"("pp_size":{},"ep_size":{},"v_stages":{},"microbatch_count":{},"overlap_comm":{},)"
      R"("overlap_efficiency":{},"congestion_factor":{},"straggler_factor":{},)"
      R"("gradient_accumulation_steps":{},"seq_len":{},"simulation":{{"fidelity":"{}"}}}})",
      drawn_log(1e8, 1e12), drawn(1, 12), drawn(64, 4096), drawn_fleet(tp * pp * ep, dp, filled),
      drawn(1, 64), tp, pp, ep, drawn(1, 3), microbatches, drawn_flag(), drawn_between(0.0, 1.0),
      drawn_between(0.5, 3.0), drawn_between(0.5, 2.0), drawn(1, 4), drawn(1, 4096),
      drawn_flag() ? "flows" : "steps");
}

}  // namespace

TEST_CASE("random distributed steps", "[property]") {
  lockstep::testing::property("equal or explained, never a mismatch", [] {
    const std::string json = drawn_step(drawn_flag());
    const auto scenario = lockstep::scenario_from_json(json, "random");
    const bool broken = !scenario->broken().empty();
    for (const Row& row : judge(*scenario)) {
      RC_LOG() << json << "\n" << row.quantity << ": " << sentence_for(row) << "\n";
      RC_ASSERT(row.verdict != Verdict::mismatch);
      RC_ASSERT(broken || row.verdict == Verdict::equal);
    }
  });
}
