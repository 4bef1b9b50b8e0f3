// SPDX-License-Identifier: Apache-2.0
// The timeline of a run: one slice a drawn task with its times, and one arrow a message.
#include "lockstep/sim/timeline_of.hpp"

#include <string>

#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Job;
using lockstep::Slice;
using lockstep::Stream;
using lockstep::Task;
using lockstep::TaskId;
using lockstep::TaskTimes;
using lockstep::Timeline;

struct Run {
  explicit Run(const std::string& simulation)
      : job(lockstep::scenario_from_json(
                R"({"kind": "pipeline-schedule", "stages": 3, "microbatches": 4, "simulation": {)" +
                    simulation + "}}",
                "run")
                ->lower()),
        times(critical_path(job.graph, job.network)),
        timeline(timeline_of(job, times)) {}
  Job job;
  TaskTimes times;
  Timeline timeline;
};

const char* const times = R"("forward_s": [1, 2, 3], "backward_s": [2, 1, 4], "transfer_s": 0.5)";

void check_slices(const Run& run) {
  run.timeline.check();
  std::size_t next = 0;
  for (TaskId id = 0; id < run.job.graph.size(); ++id) {
    const Task& task = run.job.graph.task(id);
    if (task.stream == Stream::none) continue;
    REQUIRE(next < run.timeline.slices.size());
    const Slice& slice = run.timeline.slices[next++];
    CHECK(slice.start == run.times.start[id]);
    CHECK(slice.end == run.times.end[id]);
    CHECK(slice.microbatch == task.microbatch);
    CHECK(slice.stage == task.chunk);
    const lockstep::Track& track = run.timeline.tracks[static_cast<std::size_t>(slice.track)];
    CHECK(track.process == task.device);
    CHECK(track.stream == task.stream);
  }
  CHECK(next == run.timeline.slices.size());
  CHECK(run.timeline.last_end() == run.times.last_end());
}

}  // namespace

TEST_CASE("every drawn task is a slice with its times, in the order of the graph",
          "[timeline_of]") {
  check_slices(Run(R"("forward_s": 1, "backward_s": 2)"));
  check_slices(Run(times));
  check_slices(Run(times + std::string(R"(, "p2p": "rendezvous")")));
}

TEST_CASE("every message of a pipeline is an arrow between devices", "[timeline_of]") {
  for (const char* p2p : {"eager", "rendezvous"}) {
    const Run run(times + std::string(R"(, "p2p": ")") + p2p + "\"");
    INFO(p2p);
    CHECK(run.job.messages == 2 * 2 * 4);  // both ways over two boundaries, four microbatches
    CHECK(static_cast<std::int64_t>(run.timeline.flows.size()) == run.job.messages);
    for (const lockstep::FlowArrow& flow : run.timeline.flows) {
      const Slice& from = run.timeline.slices[static_cast<std::size_t>(flow.from)];
      const Slice& to = run.timeline.slices[static_cast<std::size_t>(flow.to)];
      CHECK(from.microbatch == to.microbatch);
      CHECK(run.timeline.tracks[static_cast<std::size_t>(from.track)].process !=
            run.timeline.tracks[static_cast<std::size_t>(to.track)].process);
    }
  }
}
