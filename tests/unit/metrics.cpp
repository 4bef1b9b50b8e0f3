// SPDX-License-Identifier: Apache-2.0
// Figures over hand-made timelines.
#include "lockstep/traces/metrics.hpp"

#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::LiveSamples;
using lockstep::Slice;
using lockstep::SliceRole;
using lockstep::Stream;
using lockstep::Timeline;

Timeline one_device() {
  Timeline timeline;
  timeline.processes = {{"stage 0"}};
  timeline.tracks = {{0, Stream::compute}, {0, Stream::data}};
  timeline.intern("op");
  return timeline;
}

void add(Timeline& timeline, double start, double end, SliceRole role, std::int32_t microbatch = 0,
         std::int32_t track = 0) {
  Slice slice;
  slice.start = start;
  slice.end = end;
  slice.role = role;
  slice.microbatch = microbatch;
  slice.track = track;
  timeline.slices.push_back(slice);
}

LiveSamples live(const Timeline& timeline) {
  return lockstep::live_microbatches(timeline).front();
}

}  // namespace

TEST_CASE("busy is the compute stream only, idle the rest of the step", "[metrics]") {
  Timeline timeline = one_device();
  timeline.processes.push_back({"stage 1"});
  add(timeline, 1.0, 3.0, SliceRole::forward);
  add(timeline, 4.0, 8.0, SliceRole::backward);
  add(timeline, 0.0, 9.0, SliceRole::other, -1, 1);
  const auto devices = lockstep::device_figures(timeline, 10.0);
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].name == "stage 0");
  CHECK(devices[0].busy_s == 6.0);
  CHECK(devices[0].idle_s == 4.0);
  CHECK(devices[0].peak_live_microbatches == 1);
  CHECK(devices[1].name == "stage 1");
  CHECK(devices[1].busy_s == 0.0);
  CHECK(devices[1].idle_s == 10.0);
  CHECK(devices[1].peak_live_microbatches == 0);
  CHECK(devices[0].computes);
  CHECK_FALSE(devices[1].computes);
  CHECK(lockstep::bubble_of(devices, 10.0) == 0.4);  // 1 - 6 / 10: the other never computes
}

TEST_CASE("a bubble is a share", "[metrics]") {
  CHECK(lockstep::bubble_of({}, 1.0) == 0.0);
  CHECK(lockstep::bubble_of({{"d", true, 0.0, 0.0, 0}}, 0.0) == 0.0);
  CHECK(lockstep::bubble_of({{"d", true, 0.0, 1.0, 0}}, 1.0) == 1.0);
  CHECK(lockstep::bubble_of({{"d", false, 0.0, 1.0, 0}}, 1.0) == 0.0);
  CHECK(lockstep::bubble_of({{"d", true, 1.0, 0.0, 0}}, 1.0) == 0.0);
  // Ten tenths sum to less than one, seven to more than 0.7: no minus signs come of it.
  Timeline timeline = one_device();
  for (int i = 0; i < 7; ++i) add(timeline, i * 0.1, (i + 1) * 0.1, SliceRole::forward, i);
  const auto devices = lockstep::device_figures(timeline, timeline.last_end());
  CHECK(devices[0].idle_s >= 0.0);
  CHECK(lockstep::bubble_of(devices, timeline.last_end()) == Approx(0.0).margin(1e-15));
}

TEST_CASE("live microbatches of 1F1B with two stages", "[metrics]") {
  // First stage: F0 F1 B0 F2 B1 B2 with forwards of 1 s, backwards of 2 s.
  Timeline timeline = one_device();
  add(timeline, 0.0, 1.0, SliceRole::forward, 0);
  add(timeline, 1.0, 2.0, SliceRole::forward, 1);
  add(timeline, 4.0, 6.0, SliceRole::backward, 0);
  add(timeline, 6.0, 7.0, SliceRole::forward, 2);  // starts as B0 ends: no change
  add(timeline, 7.0, 9.0, SliceRole::backward, 1);
  add(timeline, 10.0, 12.0, SliceRole::backward, 2);
  CHECK(live(timeline) == LiveSamples{{0.0, 1}, {1.0, 2}, {9.0, 1}, {12.0, 0}});
  CHECK(lockstep::device_figures(timeline, 12.0)[0].peak_live_microbatches == 2);
}

TEST_CASE("a split backward frees at the end of the input gradient", "[metrics]") {
  Timeline timeline = one_device();
  add(timeline, 0.0, 1.0, SliceRole::forward);
  add(timeline, 2.0, 3.0, SliceRole::backward_input);
  add(timeline, 3.0, 4.0, SliceRole::backward_weight);
  add(timeline, 5.0, 6.0, SliceRole::other);  // an optimizer step beside real roles
  CHECK(live(timeline) == LiveSamples{{0.0, 1}, {3.0, 0}});
}

TEST_CASE("an overlapped pair makes one live and frees another", "[metrics]") {
  Timeline timeline = one_device();
  add(timeline, 0.0, 1.0, SliceRole::forward, 0);
  add(timeline, 1.0, 4.0, SliceRole::forward_backward, 1);
  timeline.slices.back().partner = 0;
  add(timeline, 4.0, 6.0, SliceRole::backward, 1);
  CHECK(live(timeline) == LiveSamples{{0.0, 1}, {1.0, 2}, {4.0, 1}, {6.0, 0}});
}

TEST_CASE("an accumulation step keeps its microbatch live", "[metrics]") {
  Timeline timeline = one_device();
  add(timeline, 0.0, 1.0, SliceRole::other, 0);
  add(timeline, 1.0, 2.0, SliceRole::other, 1);
  add(timeline, 3.0, 4.0, SliceRole::other, 2);
  add(timeline, 5.0, 6.0, SliceRole::other, -1);
  add(timeline, 6.0, 7.0, SliceRole::other, 3, 1);
  CHECK(live(timeline) == LiveSamples{{0.0, 1}, {2.0, 0}, {3.0, 1}, {4.0, 0}});
  CHECK(lockstep::device_figures(timeline, 7.0)[0].peak_live_microbatches == 1);
}

TEST_CASE("empty slices leave no instant behind", "[metrics]") {
  Timeline timeline = one_device();
  add(timeline, 1.0, 1.0, SliceRole::forward, 0);
  add(timeline, 1.0, 1.0, SliceRole::backward, 0);
  CHECK(live(timeline).empty());
  add(timeline, 1.0, 2.0, SliceRole::forward, 1);
  CHECK(live(timeline) == LiveSamples{{1.0, 1}});
  CHECK(lockstep::live_microbatches(Timeline{}).empty());
}

TEST_CASE("slices may stand in any order", "[metrics]") {
  Timeline timeline = one_device();
  add(timeline, 5.0, 6.0, SliceRole::backward, 0);
  add(timeline, 1.0, 2.0, SliceRole::forward, 1);
  add(timeline, 0.0, 1.0, SliceRole::forward, 0);
  CHECK(live(timeline) == LiveSamples{{0.0, 1}, {1.0, 2}, {6.0, 1}});
}
