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
  CHECK_THAT(simulation(R"("transfer": ["1 s", "2 s"])"), Catch::Contains("give one, or 3"));
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
