// SPDX-License-Identifier: Apache-2.0
// The cross-check itself: what is equal, what is explained, and that a fault is noticed.
#include "lockstep/sim/judge.hpp"

#include "lockstep/sim/lower/pipeline_schedule.hpp"
#include "lockstep/sim/matrix.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace lockstep {
namespace {

std::unique_ptr<Scenario> pipeline(const std::string& simulation) {
  return scenario_from_json(R"({"kind":"pipeline-schedule","stages":4,"microbatches":8,)"
                            R"("simulation":{"schedule":"1f1b","forward_s":1,"backward_s":2)" +
                                simulation + "}}",
                            "pipeline");
}

std::unique_ptr<Scenario> ring(const std::string& simulation) {
  return scenario_from_json(R"({"kind":"collective","function":"ring_allreduce","n":8,)"
                            R"("message_bytes":1e9,"bandwidth_bytes_per_s":1e9,"latency_s":1e-3,)"
                            R"("simulation":)" +
                                simulation + "}",
                            "ring");
}

void check_all(const std::vector<Row>& rows, Verdict verdict) {
  REQUIRE_FALSE(rows.empty());
  for (const Row& row : rows) {
    INFO(row.quantity << ": " << row.reason);
    CHECK(row.verdict == verdict);
  }
}

}  // namespace

TEST_CASE("equal stages and free transfers: equal") {
  check_all(judge(*pipeline("")), Verdict::equal);
}

TEST_CASE("one slow stage is explained, with its cost") {
  // 37.125 = 11 x 3.375 by formula; 40.5 by any run: the position of the stage matters.
  const std::vector<Row> rows = judge(*pipeline(R"(,"stage_scale":{"0":1.5})"));
  check_all(rows, Verdict::explained);
  REQUIRE(rows[0].costs.size() == 1);
  CHECK(rows[0].costs[0].assumption == Assumption::equal_stages);
  CHECK(rows[0].costs[0].amount == Approx(3.375).epsilon(1e-12));
  CHECK(sentence_for(rows[0]).find("equal_stages") != std::string::npos);
  CHECK(sentence_for(rows[0]).find("+3375 ms (+9.09 %)") != std::string::npos);
}

TEST_CASE("costs of several broken assumptions sum to the difference") {
  const std::vector<Row> rows =
      judge(*pipeline(R"(,"stage_scale":{"1":1.5},"transfer_s":0.25,"p2p":"rendezvous")"));
  check_all(rows, Verdict::explained);
  for (const Row& row : rows) {
    REQUIRE(row.costs.size() == 2);
    CHECK(row.costs[0].amount + row.costs[1].amount ==
          Approx(row.simulation - row.formula).epsilon(1e-12));
  }
}

TEST_CASE("two rings on one set of links share it exactly") {
  // 14 steps: 14/8 s of bytes and 14 ms of latency; with two rings each gets half the rate.
  for (const char* fidelity : {"flows", "steps"}) {
    const std::vector<Row> rows =
        judge(*ring(std::string(R"({"concurrent":2,"fidelity":")") + fidelity + "\"}"));
    check_all(rows, Verdict::explained);
    CHECK(rows[0].formula == Approx(1.764).epsilon(1e-12));
    CHECK(rows[0].critical_path == Approx(1.764).epsilon(1e-12));
    CHECK(rows[0].simulation == Approx(3.514).epsilon(1e-12));
    CHECK(rows[0].costs[0].assumption == Assumption::private_links);
  }
}

TEST_CASE("a ring at fidelity formula is never evidence") {
  check_all(judge(*ring(R"({"fidelity":"formula"})")), Verdict::by_construction);
}

TEST_CASE("a corrupted formula is a mismatch, broken assumptions or not") {
  JudgeOptions options;
  options.expected = [](const Scenario& scenario) {
    std::vector<Figure> figures = scenario.expected();
    figures[0].value *= 1.0 + 1e-8;
    return figures;
  };
  CHECK(judge(*pipeline(""), options)[0].verdict == Verdict::mismatch);
  CHECK(judge(*pipeline(R"(,"transfer_s":0.5)"), options)[0].verdict == Verdict::mismatch);
  CHECK_FALSE(sentence_for(judge(*pipeline(""), options)[0]).empty());
}

TEST_CASE("a corrupted schedule order is a mismatch") {
  // The last stage takes microbatch 2 before microbatch 1, for which all others wait.
  static const ScheduleInfo& right = *schedules()[1];
  static ScheduleInfo wrong = right;
  REQUIRE(right.name == "1f1b");
  wrong.build = [](const PipelineShape& shape) {
    std::vector<DeviceOrder> orders = right.build(shape);
    std::swap(orders[3][2], orders[3][4]);
    std::swap(orders[3][3], orders[3][5]);
    return orders;
  };
  JudgeOptions options;
  options.lower = [](const Scenario&) {
    PipelineRun run;
    run.schedule = &wrong;
    run.forward = PerChunk(1.0);
    run.backward = PerChunk(2.0);
    return lower_pipeline_schedule(PipelineScheduleSpec{4, 8, 1, {}}, run);
  };
  CHECK(judge(*pipeline(""), options)[0].verdict == Verdict::mismatch);
}

TEST_CASE("a corrupted link rate is a mismatch") {
  JudgeOptions options;
  options.lower = [](const Scenario& scenario) {
    Job job = scenario.lower();
    job.network.links[3].bytes_per_second *= 1.0 - 1e-8;
    return job;
  };
  for (const bool real_links : {false, true}) {
    options.engine.exclusive_as_flows = real_links;
    CHECK(judge(*ring(R"({"fidelity":"steps"})"), options)[0].verdict == Verdict::mismatch);
    CHECK(judge(*ring(R"({"fidelity":"flows"})"), options)[0].verdict == Verdict::mismatch);
  }
}

TEST_CASE("too many tasks are refused before anything is built, naming the limit") {
  JudgeOptions options;
  options.task_limit = 63;
  CHECK_THROWS_WITH(judge(*pipeline(""), options), Catch::Contains("64") && Catch::Contains("63"));
}

TEST_CASE("counts: what lowering makes") {
  const Job pipe = pipeline("")->lower();
  CHECK(pipe.operations == 2 * 4 * 8);
  CHECK(pipe.graph.size() == 2 * 4 * 8);
  CHECK(pipe.messages == 2 * 3 * 8);
  CHECK(ring(R"({"fidelity":"steps"})")->lower().messages == 2 * 8 * 7);
  CHECK(ring(R"({"fidelity":"flows"})")->lower().messages == 8);
}

}  // namespace lockstep
