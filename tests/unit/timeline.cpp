// SPDX-License-Identifier: Apache-2.0
// Timeline: interning, the check, the order by track; the table of writers.
#include "lockstep/traces/timeline.hpp"

#include <limits>
#include <string>

#include "lockstep/platforms/error.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/traces/writer.hpp"

namespace {

using lockstep::ErrorKind;
using lockstep::Slice;
using lockstep::Stream;
using lockstep::Timeline;

/// Two stages with a compute track each, and one name.
Timeline two_stages() {
  Timeline timeline;
  timeline.processes = {{"stage 0"}, {"stage 1"}};
  timeline.tracks = {{0, Stream::compute}, {1, Stream::compute}};
  timeline.intern("F0");
  return timeline;
}

Slice slice(std::int32_t track, double start, double end) {
  Slice made;
  made.track = track;
  made.start = start;
  made.end = end;
  return made;
}

/// The message of the internal error that check() throws; "" when it throws none.
std::string complaint(const Timeline& timeline) {
  try {
    timeline.check();
  } catch (const lockstep::Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
    return error.diagnostics().front().message;
  }
  return {};
}

}  // namespace

TEST_CASE("a name is interned once", "[timeline]") {
  Timeline timeline;
  CHECK(timeline.intern("F0") == 0);
  CHECK(timeline.intern("B0") == 1);
  CHECK(timeline.intern("F0") == 0);
  CHECK(timeline.intern("") == 2);
  CHECK(timeline.names == std::vector<std::string>{"F0", "B0", ""});
}

TEST_CASE("interning knows names that were put there directly", "[timeline]") {
  Timeline timeline;
  timeline.names = {"F0", "F1"};
  CHECK(timeline.intern("F1") == 1);
  CHECK(timeline.intern("F2") == 2);
}

TEST_CASE("the last end is that of any slice, 0 without one", "[timeline]") {
  Timeline timeline = two_stages();
  CHECK(timeline.last_end() == 0.0);
  timeline.slices = {slice(0, 0.0, 3.0), slice(1, 1.0, 2.0)};
  CHECK(timeline.last_end() == 3.0);
}

TEST_CASE("check takes what is sound", "[timeline]") {
  Timeline timeline = two_stages();
  CHECK(complaint(Timeline{}).empty());
  // Out of order, abutting, empty at both edges, and a flow that takes no time.
  timeline.slices = {slice(0, 2.0, 3.0), slice(0, 1.0, 2.0), slice(0, 1.0, 1.0),
                     slice(0, 3.0, 3.0), slice(0, 3.0, 3.0), slice(1, 2.0, 2.5)};
  timeline.flows = {{1, 5, 8.0}};
  CHECK(complaint(timeline).empty());
}

TEST_CASE("check names two slices of a track that overlap", "[timeline]") {
  Timeline timeline = two_stages();
  timeline.slices = {slice(0, 1.5, 3.0), slice(1, 1.5, 3.0), slice(0, 1.0, 2.0)};
  CHECK_THAT(complaint(timeline), Catch::Contains("slice 2 'F0'") && Catch::Contains("overlaps") &&
                                      Catch::Contains("slice 0"));
  SECTION("an empty one in the middle of another too") {
    timeline.slices = {slice(0, 1.0, 3.0), slice(0, 2.0, 2.0)};
    CHECK_THAT(complaint(timeline), Catch::Contains("overlaps"));
  }
  SECTION("but not where nothing is drawn") {
    timeline.tracks[0].stream = Stream::none;
    CHECK(complaint(timeline).empty());
  }
}

TEST_CASE("check refuses bad times, sizes and indices", "[timeline]") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Timeline timeline = two_stages();
  timeline.slices = {slice(0, 1.0, 2.0), slice(1, 2.0, 3.0)};
  Slice& first = timeline.slices[0];
  SECTION("end before start") {
    first.end = 0.5;
  }
  SECTION("negative") {
    first.start = -1.0;
  }
  SECTION("infinite") {
    first.end = infinite;
  }
  SECTION("not a number") {
    first.start = std::numeric_limits<double>::quiet_NaN();
  }
  SECTION("bytes negative") {
    first.bytes = -1.0;
  }
  SECTION("bytes infinite") {
    first.bytes = infinite;
  }
  SECTION("track too large") {
    first.track = 2;
  }
  SECTION("track negative") {
    first.track = -1;
  }
  SECTION("name") {
    first.name = 1;
  }
  SECTION("peer") {
    first.peer = 2;
  }
  SECTION("stage") {
    first.stage = -2;
  }
  SECTION("process of a track") {
    timeline.tracks[1].process = 2;
  }
  SECTION("a second compute track") {
    timeline.tracks.push_back({1, Stream::compute});
  }
  SECTION("flow index") {
    timeline.flows = {{0, 2, 0.0}};
  }
  SECTION("flow bytes") {
    timeline.flows = {{0, 1, infinite}};
  }
  SECTION("flow back in time") {
    timeline.flows = {{1, 0, 0.0}};
  }
  CHECK_FALSE(complaint(timeline).empty());
}

TEST_CASE("slices come by track in the order of time", "[timeline]") {
  Timeline timeline = two_stages();
  timeline.slices = {slice(1, 5.0, 6.0), slice(0, 2.0, 3.0), slice(0, 1.0, 2.0),
                     slice(0, 2.0, 2.0), slice(1, 0.0, 5.0), slice(0, 2.0, 2.0)};
  const lockstep::TrackOrder order = lockstep::order_by_track(timeline);
  CHECK(order.slices == std::vector<std::int32_t>{2, 3, 5, 1, 4, 0});
  CHECK(order.first == std::vector<std::size_t>{0, 4, 6});
  CHECK(lockstep::order_by_track(Timeline{}).first == std::vector<std::size_t>{0});
}

TEST_CASE("streams have names", "[timeline]") {
  CHECK(std::string(lockstep::name_of(Stream::none)) == "none");
  CHECK(std::string(lockstep::name_of(Stream::compute)) == "compute");
  CHECK(std::string(lockstep::name_of(Stream::pipeline_receive)) == "pipeline receive");
}

TEST_CASE("a writer is found by the extension of a file", "[writers]") {
  CHECK(lockstep::writer_for_file("out/step.json").name == "chrome");
  CHECK(lockstep::writer_for_file("step.json.gz").name == "chrome");
  CHECK_FALSE(lockstep::writers().empty());
  for (const std::string name : {"step.txt", "step", "", ".gz", "step.json.zip"}) {
    try {
      static_cast<void>(lockstep::writer_for_file(name));
      FAIL("accepted " << name);
    } catch (const lockstep::Error& error) {
      CHECK(error.kind() == ErrorKind::input);
      CHECK(error.diagnostics().front().where == name);
      CHECK_THAT(error.diagnostics().front().hint, Catch::Contains(".json"));
    }
  }
}
