// SPDX-License-Identifier: Apache-2.0
// Scenario files: kinds, names, problems all at once, and resolved inputs that feed back.
#include "lockstep/sim/scenario_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/problems.hpp"

namespace {

namespace fs = std::filesystem;
using lockstep::Figure;
using lockstep::parse_json;
using lockstep::parse_toml;
using lockstep::read_scenario;
using lockstep::Scenario;
using lockstep::to_json;
using lockstep::Value;
using lockstep::testing::problems_of;
using lockstep::testing::words;

std::unique_ptr<Scenario> from_json(const std::string& json) {
  return read_scenario(parse_json(json, "a.json"), "a");
}

std::string refusal(const std::string& json) {
  return words(problems_of([&] { return from_json(json); }));
}

const char* const pipeline = R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 8,
  "targets": [0.25], "simulation": {"schedule": "1f1b", "forward": "10 ms", "backward_s": 0.02,
  "stage_scale": {"0": 1.5}, "transfer": ["1 ms", "2 ms", "3 ms"], "p2p": "rendezvous"}})";
const char* const interleaved = R"({"kind": "pipeline-schedule", "stages": 2, "microbatches": 4,
  "simulation": {"virtual_stages": 2, "group": 3, "forward": ["1 s", "2 s", "3 s", "4 s"]}})";
const char* const scale_out = R"({"kind": "data-parallel-scale-out", "workload": "Language.GPT2",
  "step_time": "1.8 s", "training_time": "25 h", "per_device_batch": 16, "devices_per_node": 8,
  "nodes": 4, "intra_bandwidth": "450 GB/s", "inter_bandwidth": "10 Gbit/s",
  "node_hour_rate": "32 USD/h", "precision": "FP16", "simulation": {"fidelity": "steps"}})";
const char* const collective = R"({"kind": "collective", "function": "ring_allreduce", "n": 4,
  "message": "3 GB", "bandwidth": "50 GB/s", "latency": "5 us",
  "simulation": {"concurrent": 2}})";

}  // namespace

TEST_CASE("the kind decides, and an unknown one names the nearest", "[scenario_file]") {
  CHECK(from_json(pipeline)->kind() == "pipeline-schedule");
  CHECK(from_json(collective)->kind() == "collective");
  CHECK_THAT(refusal("{}"), Catch::Contains("kind is missing") && Catch::Contains("collective"));
  CHECK_THAT(refusal(R"({"kind": null})"), Catch::Contains("kind is missing"));
  CHECK_THAT(refusal(R"({"kind": 5})"), Catch::Contains("kind is a whole number"));
  CHECK_THAT(refusal(R"({"kind": "pipeline-schedul"})"),
             Catch::Contains("did you mean pipeline-schedule?"));
}

TEST_CASE("a scenario is called by its name, else by its file", "[scenario_file]") {
  CHECK(
      from_json(R"({"kind": "collective", "function": "ring_allreduce", "n": 1, "message_bytes": 0,
                      "bandwidth_bytes_per_s": 1, "name": "mine", "description": "x"})")
          ->name == "mine");
  CHECK(from_json(pipeline)->name == "a");
  const fs::path folder = fs::temp_directory_path() / "lockstep_unit_scenario";
  fs::create_directories(folder);
  std::ofstream(folder / "step.toml") << "kind = \"pipeline-schedule\"\nstages = 2\n";
  const auto scenario = lockstep::read_scenario_file((folder / "step.toml").string(),
                                                     {"microbatches=3", "simulation.forward=2 s"});
  CHECK(scenario->name == "step");
  CHECK(scenario->predict().total().si() == Approx((3 + 2 - 1) * 3.0).epsilon(1e-12));
  fs::remove_all(folder);
}

TEST_CASE("all problems of a file come at once, each with its place", "[scenario_file]") {
  const auto problems = problems_of([] {
    return read_scenario(parse_toml("kind = \"pipeline-schedule\"\n"
                                    "stages = 0\n"
                                    "microbatch = 4\n"
                                    "[simulation]\n"
                                    "schedule = \"gpip\"\n"
                                    "forward = 1.0\n"
                                    "transfer = \"1 GB\"\n",
                                    "a.toml"),
                         "a");
  });
  const std::string text = words(problems);
  CHECK_THAT(text, Catch::Contains("a.toml:2:1: stages is 0"));
  CHECK_THAT(text, Catch::Contains("a.toml:1:1: microbatches is missing"));
  CHECK_THAT(text,
             Catch::Contains("a.toml:3:1: unknown key microbatch (did you mean microbatches?"));
  CHECK_THAT(text, Catch::Contains("a.toml:5:1: schedule \"gpip\"") &&
                       Catch::Contains("did you mean gpipe?"));
  CHECK_THAT(text, Catch::Contains("a.toml:6:1: forward is a bare number"));
  CHECK_THAT(text, Catch::Contains("a.toml:7:1: transfer") && Catch::Contains("a size in bytes"));
  CHECK(problems.size() == 6);
}

TEST_CASE("a wrong value of each kind of key is refused", "[scenario_file]") {
  const auto simulation = [](const std::string& keys) {
    return refusal(R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 8,
                       "simulation": {)" +
                   keys + "}}");
  };
  CHECK_THAT(simulation(R"("forward": ["1 s", "2 s"])"), Catch::Contains("forward has 2 entries"));
  CHECK_THAT(simulation(R"("forward": [])"), Catch::Contains("empty list"));
  CHECK_THAT(simulation(R"("forward": "-1 s")"), Catch::Contains("at least 0"));
  CHECK_THAT(simulation(R"("stage_scale": [1, 2])"), Catch::Contains("stage_scale has 2 entries"));
  CHECK_THAT(simulation(R"("stage_scale": {"4": 1.5})"), Catch::Contains("names no stage"));
  CHECK_THAT(simulation(R"("stage_scale": {"0": 0})"), Catch::Contains("above 0"));
  CHECK_THAT(simulation(R"("transfer": ["1 s", "2 s"])"), Catch::Contains("list of 3"));
  CHECK_THAT(simulation(R"("p2p": "lazy")"), Catch::Contains("known: eager, rendezvous"));
  CHECK_THAT(simulation(R"("schedule": "gpipe", "virtual_stages": 2)"),
             Catch::Contains("virtual_stages must be 1"));
  CHECK_THAT(simulation(R"("virtual_stages": 2, "group": 3)"), Catch::Contains("at least 4"));
  CHECK_THAT(simulation(R"("backward_input": "1 s")"), Catch::Contains("whole backward"));
  CHECK_THAT(simulation(R"("backward": "1 s", "backward_weight": "2 s")"),
             Catch::Contains("the parts of the backward"));
  CHECK_THAT(refusal(R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 8,
                         "virtual_stages": 3, "simulation": {"virtual_stages": 2}})"),
             Catch::Contains("virtual_stages is 2 here and 3 above"));
  CHECK_THAT(refusal(R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 8,
                         "simulation": 5})"),
             Catch::Contains("simulation is a whole number, not a table"));
  CHECK_THAT(refusal(R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 8,
                         "targets": [0]})"),
             Catch::Contains("above 0 and at most 1"));
  CHECK_THAT(refusal(R"({"kind": "data-parallel-scale-out", "workload": "Language.GPT2",
      "step_time_s": 1, "training_time_s": 1, "per_device_batch": 1, "devices_per_node": 8,
      "nodes": 2, "intra_bandwidth_bytes_per_s": 1})"),
             Catch::Contains("inter_bandwidth is missing"));
}

namespace {

std::string refused_pipeline(const std::string& top, const std::string& simulation) {
  return refusal(R"({"kind": "pipeline-schedule", )" + top + R"(, "simulation": {)" + simulation +
                 "}}");
}
const char* const four_by_eight = R"("stages": 4, "microbatches": 8)";

}  // namespace

TEST_CASE("keys that would change nothing are refused", "[scenario_file]") {
  CHECK_THAT(refused_pipeline(four_by_eight, R"("schedule": "1f1b", "group": 4)"),
             Catch::Contains("/simulation/group: group has no effect with 1f1b"));
  CHECK_THAT(refused_pipeline(four_by_eight, R"("forward_backward_s": 1)"),
             Catch::Contains("forward_backward_s: forward_backward has no effect with gpipe"));
  CHECK_THAT(refused_pipeline(four_by_eight, R"("stage_scale": {"1": 2, "01": 3})"),
             Catch::Contains("stage_scale/01: stage_scale names no stage \"01\""));
}

TEST_CASE("a list has one entry a stage, also when it has but one", "[scenario_file]") {
  CHECK_THAT(refused_pipeline(four_by_eight, R"("forward_s": [1])"),
             Catch::Contains("/simulation/forward_s: forward has 1 entry"));
  CHECK_THAT(refused_pipeline(four_by_eight, R"("transfer": ["1 s"])"),
             Catch::Contains("transfer has 1 entry"));
  CHECK(refused_pipeline(R"("stages": 1, "microbatches": 8)", R"("forward_s": [1])").empty());
  CHECK_THAT(refused_pipeline(R"("stages": 1, "microbatches": 8)", R"("transfer_s": [1])"),
             Catch::Contains("transfer has 1 entry (give one time)"));
}

TEST_CASE("virtual_stages has one value, wherever it is given", "[scenario_file]") {
  CHECK_THAT(refused_pipeline(std::string(four_by_eight) + R"(, "virtual_stages": 1)",
                              R"("virtual_stages": 2)"),
             Catch::Contains("virtual_stages is 2 here and 1 above"));
  const auto scenario = from_json(
      R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 8,
          "simulation": {"virtual_stages": 2}})");
  CHECK(*scenario->resolved.find("virtual_stages")->integer() == 2);
}

TEST_CASE("a wrong number of stages brings no complaints about lists", "[scenario_file]") {
  const auto problems = problems_of([] {
    return from_json(R"({"kind": "pipeline-schedule", "stages": 0, "microbatches": 8,
      "simulation": {"forward_s": [1, 2], "stage_scale": [1, 1, 1], "transfer_s": [1, 2],
                     "backward_s": [1], "schedule": "interleaved-1f1b", "group": 1}})");
  });
  CHECK(problems.size() == 1);
  const auto scaled = problems_of([] {
    return from_json(R"({"kind": "pipeline-schedule", "stages": "four", "microbatches": 8,
      "simulation": {"stage_scale": {"3": 2, "x": 1}}})");
  });
  CHECK(scaled.size() == 2);
}

TEST_CASE("what is too much to run is refused at its file before anything is made",
          "[scenario_file]") {
  const auto refused = [](const std::string& keys) {
    const auto scenario =
        from_json(R"({"kind": "collective", "message_bytes": 1e9, "bandwidth_bytes_per_s": 1e9, )" +
                  keys + "}");
    return words(problems_of([&] {
      require_runnable(*scenario, 1e6);
      return 0;
    }));
  };
  const std::string ring = R"("function": "ring_allreduce", "n": )";
  CHECK_THAT(refused(ring + "1000000, \"simulation\": {\"concurrent\": 2}"),
             Catch::StartsWith("a.json: needs 2000000 operations and messages, above the limit"));
  CHECK_THAT(refused(ring + "2049, \"simulation\": {\"concurrent\": 2}"),
             Catch::StartsWith("a.json: needs 4098 flows at once on shared links, above the limit "
                               "of 4096"));
  CHECK(refused(ring + "2048, \"simulation\": {\"concurrent\": 2}").empty());
  CHECK(refused(ring + "1000000").empty());  // no link is shared: timers will do
  CHECK_THAT(refused(R"("function": "tree_allreduce", "n": 65537)"),
             Catch::Contains("flows at once on links of their own"));
  const auto toml = read_scenario(
      parse_toml("kind = \"pipeline-schedule\"\nstages = 9\nmicrobatches = 9\n", "a.toml"), "a");
  CHECK(toml->where == "a.toml:1:1");
}

TEST_CASE("a built-in scenario that is wrong is our bug", "[scenario_file]") {
  try {
    static_cast<void>(lockstep::scenario_from_json("{}", "a"));
    FAIL("nothing was thrown");
  } catch (const lockstep::Error& error) {
    CHECK(error.kind() == lockstep::ErrorKind::internal);
  }
}

TEST_CASE("resolved inputs feed back to the same scenario", "[scenario_file]") {
  for (const char* json : {pipeline, interleaved, scale_out, collective}) {
    const auto first = from_json(json);
    Value resolved(first->resolved);
    INFO(to_json(resolved));
    const auto second = from_json(to_json(resolved));
    CHECK(to_json(Value(second->resolved)) == to_json(resolved));
    CHECK(to_json(Value(second->predict().outputs)) == to_json(Value(first->predict().outputs)));
    CHECK(second->tasks() == first->tasks());
    const auto path = [](const Scenario& scenario) {
      const lockstep::Job job = scenario.lower();
      return lockstep::critical_path(job.graph, job.network).last_end();
    };
    CHECK(path(*second) == path(*first));
    REQUIRE(second->broken().size() == first->broken().size());
    for (std::size_t i = 0; i < first->broken().size(); ++i)
      CHECK(second->broken()[i].how == first->broken()[i].how);
  }
}

TEST_CASE("the number of tasks is known without making the graph", "[scenario_file]") {
  for (const char* json : {pipeline, interleaved, scale_out, collective}) {
    const auto scenario = from_json(json);
    const lockstep::Job job = scenario->lower();
    INFO(json);
    std::size_t joins = 0;  // take no time and are not counted
    for (const lockstep::Task& task : job.graph.tasks())
      joins += task.kind == lockstep::TaskKind::join ? 1 : 0;
    CHECK(scenario->tasks() == static_cast<double>(job.graph.size() - joins));
  }
}
