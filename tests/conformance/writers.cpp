// SPDX-License-Identifier: Apache-2.0
// Every registered trace writer over real runs: the same bytes each time, one event a drawn slice,
// and a file that reads back.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/sim/timeline_of.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/traces/writer.hpp"

namespace {

using lockstep::Stream;
using lockstep::Timeline;
using lockstep::TraceMetadata;
using lockstep::WriterInfo;

const std::vector<std::string> scenarios = {
    R"({"kind": "pipeline-schedule", "stages": 4, "microbatches": 6,
        "simulation": {"schedule": "1f1b", "forward_s": 0.1, "backward_s": 0.2,
                       "stage_scale": [1, 1.3, 0.7, 1.1], "transfer_s": 0.05}})",
    R"({"kind": "pipeline-schedule", "stages": 3, "microbatches": 6,
        "simulation": {"virtual_stages": 2, "transfer_s": 0.05, "p2p": "rendezvous"}})",
    R"({"kind": "data-parallel-scale-out", "workload": "Language.GPT2", "step_time_s": 1.8,
        "training_time_s": 9e4, "per_device_batch": 16, "devices_per_node": 4, "nodes": 2,
        "intra_bandwidth_bytes_per_s": 450e9, "inter_bandwidth_bytes_per_s": 5e10,
        "accumulation_steps": 3})",
    R"({"kind": "collective", "function": "ring_allreduce", "n": 5, "message_bytes": 1e9,
        "bandwidth_bytes_per_s": 1e9, "latency_s": 1e-5, "simulation": {"fidelity": "steps"}})"};

Timeline timeline_for(const std::string& json) {
  const auto scenario = lockstep::scenario_from_json(json, "writers");
  const lockstep::Job job = scenario->lower();
  return timeline_of(job, critical_path(job.graph, job.network));
}

std::string written(const WriterInfo& writer, const Timeline& timeline) {
  std::ostringstream out;
  writer.write(timeline, TraceMetadata{"a \"title\" \xff", {{"version", "1"}}}, out);
  return out.str();
}

std::int64_t drawn_slices(const Timeline& timeline) {
  return std::count_if(timeline.slices.begin(), timeline.slices.end(), [&](const auto& slice) {
    return timeline.tracks[static_cast<std::size_t>(slice.track)].stream != Stream::none;
  });
}

/// The number of drawn slices that a file of a format shows, read back by its extension.
using Reader = std::int64_t (*)(const std::string&);
const std::map<std::string_view, Reader> readers = {
    {".json", [](const std::string& text) {
       const nlohmann::json trace = nlohmann::json::parse(text);
       std::int64_t complete = 0;
       for (const auto& event : trace.at("traceEvents")) complete += event.at("ph") == "X" ? 1 : 0;
       return complete;
     }}};

}  // namespace

TEST_CASE("writers describe themselves and are chosen by their extension", "[writers]") {
  for (const WriterInfo* writer : lockstep::writers()) DYNAMIC_SECTION(writer->name) {
      CHECK_FALSE(writer->summary.empty());
      CHECK(writer->extension.front() == '.');
      const std::string file = "trace" + std::string(writer->extension);
      CHECK(&lockstep::writer_for_file(file) == writer);
      CHECK(&lockstep::writer_for_file(file + ".gz") == writer);
    }
}

TEST_CASE("writers: the same run gives the same bytes", "[writers]") {
  for (const WriterInfo* writer : lockstep::writers()) DYNAMIC_SECTION(writer->name) {
      for (const std::string& scenario : scenarios) {
        const std::string first = written(*writer, timeline_for(scenario));
        CHECK_FALSE(first.empty());
        CHECK(first == written(*writer, timeline_for(scenario)));
      }
    }
}

TEST_CASE("writers: every drawn slice is in the file, which reads back", "[writers]") {
  for (const WriterInfo* writer : lockstep::writers()) DYNAMIC_SECTION(writer->name) {
      const auto reader = readers.find(writer->extension);
      INFO("files ending " << writer->extension << " need a reader in this file");
      REQUIRE(reader != readers.end());
      for (const std::string& scenario : scenarios) {
        const Timeline timeline = timeline_for(scenario);
        timeline.check();
        CHECK(drawn_slices(timeline) > 0);
        CHECK(reader->second(written(*writer, timeline)) == drawn_slices(timeline));
      }
      CHECK(reader->second(written(*writer, Timeline{})) == 0);
    }
}
