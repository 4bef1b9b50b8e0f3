// SPDX-License-Identifier: Apache-2.0
// The closed forms against values worked out by hand, their limits of validity, and their terms.
#include <cstdint>
#include <limits>
#include <string>

#include "lockstep/analytic/formulas/data_parallel_scale_out.hpp"
#include "lockstep/analytic/formulas/pipeline_bubble.hpp"
#include "lockstep/analytic/formulas/pipeline_schedule.hpp"
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/problems.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::Bytes;
using lockstep::BytesPerSecond;
using lockstep::DataParallelScaleOutSpec;
using lockstep::PipelineScheduleSpec;
using lockstep::Prediction;
using lockstep::Seconds;
using lockstep::testing::problems_of;
using lockstep::testing::words;
namespace tolerance = lockstep::tolerance;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

auto about(double value) {
  return Catch::WithinRel(value, tolerance::exact);
}

double output(const Prediction& prediction, std::string_view key) {
  const lockstep::Value* value = prediction.outputs.find(key);
  INFO(key);
  REQUIRE(value != nullptr);
  if (value->integer() != nullptr) return static_cast<double>(*value->integer());
  REQUIRE(value->real() != nullptr);
  return *value->real();
}

/// GPT-2 on four nodes of eight devices over 10 Gbit/s, as the reference names it.
DataParallelScaleOutSpec four_nodes() {
  DataParallelScaleOutSpec spec;
  spec.workload.parameters = 1.5e9;
  spec.step_time = Seconds(1.8);
  spec.training_time = Seconds(25.0 * 3600.0);
  spec.per_device_batch = 16;
  spec.devices_per_node = 8;
  spec.nodes = 4;
  spec.intra_bandwidth = BytesPerSecond(450e9);
  spec.inter_bandwidth = BytesPerSecond(1.25e9);
  spec.node_hour_rate = lockstep::UsdPerSecond(32.0 / 3600.0);
  return spec;
}

template <class Change>
std::string refusal(Change&& change) {
  DataParallelScaleOutSpec spec = four_nodes();
  change(spec);
  return words(problems_of([&] { return predict_data_parallel_scale_out(spec); }));
}

}  // namespace

TEST_CASE("ring all-reduce: 2(n-1)/n M/W + 2(n-1) A", "[formulas]") {
  const auto ring = [](double bytes, std::int64_t ranks, double rate, double latency) {
    return ring_all_reduce(Bytes(bytes), ranks, BytesPerSecond(rate), Seconds(latency)).si();
  };
  CHECK_THAT(ring(3e9, 8, 450e9, 0.0), about(7.0 / 600.0));  // 1.75 * 3 / 450
  CHECK_THAT(ring(4e9, 4, 1e9, 0.5), about(9.0));            // 1.5 * 4 + 6 * 0.5
  CHECK_THAT(ring(4e9, 2, 1e9, 0.5), about(5.0));            // 1 * 4 + 2 * 0.5
  CHECK(ring(0.0, 4, 1e9, 0.0) == 0.0);
  CHECK_THAT(ring(0.0, 4, 1e9, 0.25), about(1.5));
  CHECK(ring(4e9, 1, 1e9, 0.5) == 0.0);
  CHECK(lockstep::ring_data_factor(1) == 0.0);
  CHECK(lockstep::ring_data_factor(2) == 1.0);
  CHECK(lockstep::ring_data_factor(8) == 1.75);
}

TEST_CASE("ring all-reduce: outside its ranges it is refused, at one rank too", "[formulas]") {
  const auto refused = [](double bytes, std::int64_t ranks, double rate, double latency) {
    return words(problems_of([&] {
      return ring_all_reduce(Bytes(bytes), ranks, BytesPerSecond(rate), Seconds(latency));
    }));
  };
  CHECK_THAT(refused(1, 0, 1, 0), Catch::StartsWith("ranks: ranks is 0"));
  CHECK_THAT(refused(-1, 4, 1, 0), Catch::StartsWith("message"));
  CHECK_THAT(refused(no_number, 4, 1, 0), Catch::StartsWith("message"));
  CHECK_THAT(refused(infinite, 4, 1, 0), Catch::StartsWith("message"));
  CHECK_THAT(refused(1, 4, 0, 0), Catch::StartsWith("bandwidth"));
  CHECK_THAT(refused(1, 4, infinite, 0), Catch::StartsWith("bandwidth"));
  CHECK_THAT(refused(1, 4, 1, -1), Catch::StartsWith("latency"));
  CHECK_THAT(refused(1, 1, 0, 0), Catch::StartsWith("bandwidth"));
  CHECK_THAT(words(problems_of([] { return lockstep::ring_data_factor(0); })),
             Catch::StartsWith("ranks"));
}

TEST_CASE("pipeline bubble: (p-1) / (V m + p - 1)", "[formulas]") {
  CHECK_THAT(lockstep::pipeline_bubble(4, 4), about(3.0 / 7.0));
  CHECK_THAT(lockstep::pipeline_bubble(8, 32), about(7.0 / 39.0));
  CHECK_THAT(lockstep::pipeline_bubble(4, 8, 2), about(3.0 / 19.0));
  CHECK(lockstep::pipeline_bubble(1, 5) == 0.0);
  CHECK(lockstep::pipeline_makespan(4, 4, 1, Seconds(3.0)).si() == 21.0);
  CHECK(lockstep::pipeline_makespan(4, 8, 2, Seconds(3.0)).si() == 57.0);
  CHECK(lockstep::pipeline_makespan(1, 1, 1, Seconds(0.0)).si() == 0.0);
}

TEST_CASE("pipeline bubble: exact for the largest counts", "[formulas]") {
  const std::int64_t most = 1'000'000'000;
  CHECK(lockstep::pipeline_bubble(most, most, 1'000'000) == (1e9 - 1.0) / (1e15 + (1e9 - 1.0)));
  CHECK(lockstep::pipeline_makespan(most, most, 1'000'000, Seconds(1.0)).si() == 1e15 + 1e9 - 1.0);
}

TEST_CASE("pipeline bubble: counts below one and bad times are refused", "[formulas]") {
  CHECK_THAT(words(problems_of([] { return lockstep::pipeline_bubble(0, 4); })),
             Catch::StartsWith("stages"));
  CHECK_THAT(words(problems_of([] { return lockstep::pipeline_bubble(4, 0); })),
             Catch::StartsWith("microbatches"));
  CHECK_THAT(words(problems_of([] { return lockstep::pipeline_bubble(4, 4, 0); })),
             Catch::StartsWith("virtual_stages"));
  CHECK_THAT(words(problems_of([] { return lockstep::pipeline_makespan(4, 4, 1, Seconds(-1.0)); })),
             Catch::StartsWith("mean_chunk_time"));
  CHECK_THAT(
      words(problems_of([] { return lockstep::pipeline_makespan(4, 4, 1, Seconds(no_number)); })),
      Catch::StartsWith("mean_chunk_time"));
}

TEST_CASE("pipeline schedule: the reference's walkthrough of four stages", "[formulas]") {
  PipelineScheduleSpec spec;
  spec.stages = 4;
  spec.microbatches = 4;
  spec.targets = {0.25, 0.5, 1.0};
  const Prediction prediction = predict_pipeline_schedule(spec, Seconds(3.0));
  CHECK(output(prediction, "slots") == 14.0);
  CHECK(output(prediction, "idle_slots") == 6.0);
  CHECK(output(prediction, "fill_slots") == 3.0);
  CHECK(output(prediction, "phase_slots") == 7.0);
  CHECK_THAT(output(prediction, "bubble"), about(3.0 / 7.0));
  CHECK_THAT(output(prediction, "makespan_s"), about(21.0));
  CHECK_THAT(prediction.total().si(), about(21.0));
  const lockstep::Array& counts = *prediction.outputs.find("microbatches_for_bubble")->array();
  CHECK_THAT(*counts[0].real(), about(9.0));
  CHECK_THAT(*counts[1].real(), about(3.0));
  CHECK(*counts[2].real() == 0.0);
}

TEST_CASE("pipeline schedule: interleaved, the slot counts do not apply", "[formulas]") {
  PipelineScheduleSpec spec;
  spec.stages = 4;
  spec.microbatches = 8;
  spec.virtual_stages = 2;
  const Prediction prediction = predict_pipeline_schedule(spec, Seconds(1.5));
  CHECK(prediction.outputs.find("slots") == nullptr);
  CHECK_THAT(output(prediction, "bubble"), about(3.0 / 19.0));
  CHECK_THAT(prediction.total().si(), about(28.5));
  CHECK(prediction.assumptions.back() == lockstep::Assumption::microbatches_divide_stages);
}

TEST_CASE("scale-out: four nodes over 10 Gbit/s", "[formulas]") {
  const Prediction prediction = predict_data_parallel_scale_out(four_nodes());
  CHECK(output(prediction, "n_devices") == 32.0);
  CHECK_THAT(output(prediction, "gradient_bytes"), about(3e9));
  CHECK_THAT(output(prediction, "intra_bytes"), about(5.25e9));
  CHECK_THAT(output(prediction, "inter_bytes"), about(5.8125e9));  // 2 * 31/32 * 3e9
  CHECK_THAT(output(prediction, "intra_time_s"), about(7.0 / 600.0));
  CHECK_THAT(output(prediction, "inter_time_s"), about(4.65));
  const double update = 1.8 + 7.0 / 600.0 + 4.65;
  CHECK_THAT(output(prediction, "update_time_s"), about(update));
  CHECK_THAT(output(prediction, "compute_share"), about(1.8 / update));
  CHECK_THAT(output(prediction, "communication_overhead"), about((update - 1.8) / 1.8));
  CHECK_THAT(output(prediction, "speedup"), about(32.0 * 1.8 / update));
  CHECK_THAT(output(prediction, "efficiency"), about(1.8 / update));
  CHECK(output(prediction, "global_batch") == 512.0);
  const double hours = 25.0 * update / (32.0 * 1.8);
  CHECK_THAT(output(prediction, "training_time_s"), about(3600.0 * hours));
  CHECK_THAT(output(prediction, "cost_usd"), about(hours * 4.0 * 32.0));
  CHECK_THAT(prediction.total().si(), about(update));
}

TEST_CASE("scale-out: one node never looks at the fabric", "[formulas]") {
  DataParallelScaleOutSpec spec = four_nodes();
  spec.nodes = 1;
  spec.inter_bandwidth.reset();
  spec.node_hour_rate.reset();
  spec.accumulation_steps = 4;
  const Prediction prediction = predict_data_parallel_scale_out(spec);
  CHECK_THAT(output(prediction, "update_time_s"), about(7.2 + 7.0 / 600.0));
  CHECK(output(prediction, "inter_time_s") == 0.0);
  CHECK(output(prediction, "inter_bytes") == 0.0);
  CHECK(output(prediction, "global_batch") == 512.0);
  CHECK(prediction.outputs.find("cost_usd") == nullptr);
  spec.devices_per_node = 1;
  CHECK_THAT(output(predict_data_parallel_scale_out(spec), "update_time_s"), about(7.2));
  CHECK_THAT(output(predict_data_parallel_scale_out(spec), "speedup"), about(1.0));
}

TEST_CASE("scale-out: outside its ranges it is refused", "[formulas]") {
  CHECK(refusal([](auto&) {}).empty());
  CHECK_THAT(refusal([](auto& spec) { spec.devices_per_node = 0; }),
             Catch::StartsWith("devices_per_node"));
  CHECK_THAT(refusal([](auto& spec) { spec.nodes = -1; }), Catch::StartsWith("nodes"));
  CHECK_THAT(refusal([](auto& spec) { spec.accumulation_steps = 0; }),
             Catch::StartsWith("accumulation_steps"));
  CHECK_THAT(refusal([](auto& spec) { spec.step_time = Seconds(0.0); }),
             Catch::StartsWith("step_time"));
  CHECK_THAT(refusal([](auto& spec) { spec.intra_bandwidth = BytesPerSecond(0.0); }),
             Catch::StartsWith("bandwidth"));
  CHECK_THAT(refusal([](auto& spec) { spec.inter_bandwidth.reset(); }),
             Catch::Contains("inter_bandwidth is missing"));
  CHECK_THAT(refusal([](auto& spec) { spec.precision = "fp64"; }), Catch::Contains("fp64"));
  CHECK_THAT(refusal([](auto& spec) { spec.workload.parameters.reset(); }),
             Catch::Contains("neither parameters nor a model_size"));
}
