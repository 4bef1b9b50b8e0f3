// SPDX-License-Identifier: Apache-2.0
// Chrome traces, parsed back and compared field by field.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/traces/writer.hpp"

namespace {

using lockstep::Slice;
using lockstep::SliceRole;
using lockstep::Stream;
using lockstep::Timeline;
using lockstep::TraceMetadata;
using nlohmann::json;

std::string text_of(const Timeline& timeline, const TraceMetadata& metadata = {}) {
  std::ostringstream out;
  lockstep::writer_for_file("x.json").write(timeline, metadata, out);
  return out.str();
}

/// The events of one phase, in file order.
std::vector<json> events(const std::string& text, const std::string& phase) {
  std::vector<json> found;
  const json trace = json::parse(text);
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == phase) found.push_back(event);
  return found;
}

std::vector<json> events(const Timeline& timeline, const std::string& phase) {
  return events(text_of(timeline), phase);
}

Slice slice(std::int32_t track, double start, double end, std::int32_t name = 0) {
  Slice made;
  made.track = track;
  made.start = start;
  made.end = end;
  made.name = name;
  return made;
}

/// One device that computes; one name.
Timeline one_device() {
  Timeline timeline;
  timeline.processes = {{"stage 0"}};
  timeline.tracks = {{0, Stream::compute}};
  timeline.intern("op");
  return timeline;
}

/// F0 on stage 0, a receive of 0.5 s on stage 1, an overlapped pair there, a gradient reduction.
Timeline small_step() {
  Timeline timeline;
  timeline.processes = {{"stage 0"}, {"stage 1"}};
  timeline.tracks = {{0, Stream::compute},
                     {1, Stream::compute},
                     {1, Stream::pipeline_receive},
                     {1, Stream::data},
                     {1, Stream::none}};
  Slice forward = slice(0, 0.0, 1.0, timeline.intern("F0"));
  forward.microbatch = 0;
  forward.stage = 0;
  forward.role = SliceRole::forward;
  Slice receive = slice(2, 1.0, 1.5, timeline.intern("receive F0"));
  receive.microbatch = 0;
  receive.bytes = 1048576.0;
  receive.peer = 0;
  Slice pair = slice(1, 1.5, 4.5, timeline.intern("F0 B3"));
  pair.microbatch = 0;
  pair.partner = 3;
  pair.stage = 1;
  pair.role = SliceRole::forward_backward;
  Slice reduction = slice(3, 4.5, 5.000000001, timeline.intern("all-reduce"));
  reduction.bytes = 0.5;
  timeline.slices = {reduction, forward, receive, pair, slice(4, 0.0, 9.0)};
  timeline.flows = {{1, 2, 1048576.0}, {2, 3, 1048576.0}, {1, 4, 0.0}};
  return timeline;
}

}  // namespace

TEST_CASE("the head says what the trace shows", "[chrome]") {
  const TraceMetadata metadata{"my \"step\"", {{"schedule", "1f1b"}, {"makespan", "5 s"}}};
  const json trace = json::parse(text_of(Timeline{}, metadata));
  CHECK(trace.size() == 3);
  CHECK(trace.at("displayTimeUnit") == "ns");
  CHECK(trace.at("otherData") ==
        json({{"title", "my \"step\""}, {"schedule", "1f1b"}, {"makespan", "5 s"}}));
  CHECK(trace.at("traceEvents").empty());
}

TEST_CASE("processes and streams are named and ordered", "[chrome]") {
  const auto found = events(small_step(), "M");
  const auto meta = [](int pid, int tid, const std::string& name, const json& args) {
    json event = {{"ph", "M"}, {"pid", pid}, {"name", name}, {"args", args}};
    if (tid > 0) event["tid"] = tid;
    return event;
  };
  std::vector<json> wanted;
  for (int process = 0; process < 2; ++process) {
    wanted.push_back(
        meta(process + 1, 0, "process_name", {{"name", "stage " + std::to_string(process)}}));
    wanted.push_back(meta(process + 1, 0, "process_sort_index", {{"sort_index", process}}));
  }
  const auto thread = [&](int pid, int tid, const std::string& name) {
    wanted.push_back(meta(pid, tid, "thread_name", {{"name", name}}));
    wanted.push_back(meta(pid, tid, "thread_sort_index", {{"sort_index", tid}}));
  };
  thread(1, 1, "compute");
  thread(2, 1, "compute");
  thread(2, 7, "pipeline receive");
  thread(2, 5, "data");
  CHECK(found == wanted);
}

TEST_CASE("slices carry their fields", "[chrome]") {
  const auto found = events(small_step(), "X");
  REQUIRE(found.size() == 4);  // by track; what is on Stream::none is not drawn
  CHECK(found[0] == json::parse(R"({"ph":"X","pid":1,"tid":1,"ts":0.0,"dur":1000000.0,"name":"F0",
      "cat":"compute","args":{"kind":"forward","microbatch":0,"stage":0,"dur_ns":1000000000}})"));
  CHECK(found[1] == json::parse(R"({"ph":"X","pid":2,"tid":1,"ts":1500000.0,"dur":3000000.0,
      "name":"F0 B3","cat":"compute","args":{"kind":"forward_backward","microbatch":0,"partner":3,
      "stage":1,"dur_ns":3000000000}})"));
  CHECK(found[2] == json::parse(R"({"ph":"X","pid":2,"tid":7,"ts":1000000.0,"dur":500000.0,
      "name":"receive F0","cat":"pipeline receive","args":{"kind":"receive","microbatch":0,
      "bytes":1048576,"peer":"stage 0","dur_ns":500000000}})"));
  CHECK(found[3] == json::parse(R"({"ph":"X","pid":2,"tid":5,"ts":4500000.0,"dur":500000.001,
      "name":"all-reduce","cat":"data","args":{"kind":"collective","bytes":0.5,
      "dur_ns":500000001}})"));
}

TEST_CASE("the kind of a slice", "[chrome]") {
  const auto [role, stream, kind] = GENERATE(table<SliceRole, Stream, std::string>({
      {SliceRole::backward, Stream::compute, "backward"},
      {SliceRole::backward_input, Stream::compute, "backward_input"},
      {SliceRole::backward_weight, Stream::compute, "backward_weight"},
      {SliceRole::other, Stream::compute, "other"},
      {SliceRole::other, Stream::tensor, "collective"},
      {SliceRole::other, Stream::context, "collective"},
      {SliceRole::other, Stream::expert, "collective"},
      {SliceRole::other, Stream::pipeline_send, "send"},
  }));
  Timeline timeline = one_device();
  timeline.tracks[0].stream = stream;
  timeline.slices = {slice(0, 0.0, 1.0)};
  timeline.slices[0].role = role;
  const auto found = events(timeline, "X");
  CHECK(found.front().at("args").at("kind") == kind);
  CHECK(found.front().at("tid") == static_cast<int>(stream));
}

TEST_CASE("a flow starts in its source and ends at its target", "[chrome]") {
  const std::string text = text_of(small_step());
  const auto starts = events(text, "s");
  const auto ends = events(text, "f");
  REQUIRE(starts.size() == 2);  // not the one that leads to Stream::none
  REQUIRE(ends.size() == 2);
  CHECK(starts[0] == json::parse(R"({"ph":"s","pid":1,"tid":1,"ts":999999.999,"name":"message",
      "cat":"message","id":0})"));
  CHECK(ends[0] == json::parse(R"({"ph":"f","pid":2,"tid":7,"ts":1000000.0,"name":"message",
      "cat":"message","id":0,"bp":"e"})"));
  CHECK(starts[1].at("ts") == 1499999.999);
  CHECK(ends[1].at("ts") == 1500000.0);
  CHECK(text.find(R"("ph":"s")") < text.find(R"("ph":"f")"));
}

TEST_CASE("live microbatches are a counter of each process", "[chrome]") {
  Timeline timeline = one_device();
  timeline.slices = {slice(0, 0.0, 1.0), slice(0, 1.0, 2.0), slice(0, 2.5, 4.0)};
  timeline.slices[0].role = SliceRole::forward;
  timeline.slices[1].role = SliceRole::forward;
  timeline.slices[2].role = SliceRole::backward;
  const auto counter = [](double time, int live) {
    return json({{"ph", "C"},
                 {"pid", 1},
                 {"ts", time},
                 {"name", "live microbatches"},
                 {"args", {{"live", live}}}});
  };
  CHECK(events(timeline, "C") ==
        std::vector<json>{counter(0.0, 1), counter(1000000.0, 2), counter(4000000.0, 1)});
}

TEST_CASE("abutting slices stay abutting in the doubles of readers", "[chrome]") {
  const double step = GENERATE(0.1e-3 / 3, 1e-9, 0.4e-9, 1.0 / 3, 7.7e-6, 1234.5678901, 3.3e5);
  Timeline timeline = one_device();
  for (int k = 0; k < 2000; ++k) timeline.slices.push_back(slice(0, k * step, (k + 1) * step));
  timeline.check();
  const auto found = events(timeline, "X");
  REQUIRE(found.size() == 2000);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double start = found[k].at("ts").get<double>();
    const double duration = found[k].at("dur").get<double>();
    const std::int64_t begin = std::llround(static_cast<double>(k) * step * 1e9);
    const std::int64_t end = std::llround(static_cast<double>(k + 1) * step * 1e9);
    const std::int64_t exact = found[k].at("args").at("dur_ns").get<std::int64_t>();
    CHECK(start == static_cast<double>(begin) / 1000.0);
    CHECK(exact == end - begin);
    CHECK(std::llround(duration * 1000.0) <= exact);
    CHECK(std::llround(duration * 1000.0) >= exact - 1);
    if (k + 1 < found.size()) CHECK(start + duration <= found[k + 1].at("ts").get<double>());
  }
}

TEST_CASE("a duration gives way only where it must", "[chrome]") {
  // 0.001 us + 0.002 us is 0.003 in doubles; 0.1 us + 0.7 us is 0.7999999999999999 for 0.8; but
  // 0.1 us + 0.2 us is 0.30000000000000004 and passes 0.3.
  Timeline timeline = one_device();
  timeline.slices = {slice(0, 0.1e-6, 0.3e-6), slice(0, 0.3e-6, 0.8e-6)};
  const std::string text = text_of(timeline);
  CHECK_THAT(text, Catch::Contains(R"("ts":0.100,"dur":0.199,)") &&
                       Catch::Contains(R"("dur_ns":200}})") &&
                       Catch::Contains(R"("ts":0.300,"dur":0.500,)"));
}

TEST_CASE("empty slices and flows at them stay inside", "[chrome]") {
  Timeline timeline = one_device();
  timeline.processes.push_back({"stage 1"});
  timeline.tracks.push_back({1, Stream::compute});
  timeline.slices = {slice(0, 0.0, 0.0), slice(0, 0.0, 1.0), slice(0, 1.0, 1.0), slice(1, 1.0, 1.0),
                     slice(1, 1.0, 1.0000000002)};
  timeline.flows = {{0, 3, 0.0}, {2, 4, 0.0}, {1, 3, 0.0}};
  timeline.check();
  const std::string text = text_of(timeline);
  for (const json& event : events(text, "X")) CHECK(event.at("dur").get<double>() >= 0.0);
  const auto starts = events(text, "s");
  const auto ends = events(text, "f");
  REQUIRE(starts.size() == 3);
  CHECK(starts[0].at("ts") == 0.0);
  CHECK(starts[1].at("ts") == 1000000.0);  // an empty slice: its start, not 1 ns before
  CHECK(starts[2].at("ts") == 999999.999);
  for (const json& event : ends) CHECK(event.at("ts") == 1000000.0);
}

TEST_CASE("names are escaped", "[chrome]") {
  const auto [name, wanted] = GENERATE(table<std::string, std::string>({
      {"say \"hi\" \\ there", "say \"hi\" \\ there"},
      {std::string("nul\0tab\tline\n\x1f\x7f", 16), std::string("nul\0tab\tline\n\x1f\x7f", 16)},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
      {"latin \xe9!", "latin \xef\xbf\xbd!"},
      {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
      {"overlong \xc0\xaf", "overlong \xef\xbf\xbd\xef\xbf\xbd"},
      {"surrogate \xed\xa0\x80", "surrogate \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"beyond \xf4\x90\x80\x80", "beyond \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"", "compute"},  // viewers refuse a slice without a name
  }));
  Timeline timeline = one_device();
  timeline.slices = {slice(0, 0.0, 1.0, timeline.intern(name))};
  timeline.processes[0].name = name;
  const std::string text = text_of(timeline, {name, {{name + "key", name}}});
  CHECK(events(text, "X").front().at("name") == wanted);
  if (!name.empty()) {
    CHECK(events(text, "M").front().at("args").at("name") == wanted);
    CHECK(json::parse(text).at("otherData").at("title") == wanted);
    CHECK(json::parse(text).at("otherData").at(wanted + "key") == wanted);
  }
}

TEST_CASE("the same timeline gives the same bytes, in whatever order its slices stand",
          "[chrome]") {
  Timeline timeline = small_step();
  const std::string text = text_of(timeline);
  CHECK(text == text_of(timeline));
  std::swap(timeline.slices[0], timeline.slices[3]);
  timeline.flows = {{1, 2, 1048576.0}, {2, 0, 1048576.0}, {1, 4, 0.0}};
  CHECK(text == text_of(timeline));
}

TEST_CASE("times that nanoseconds cannot count are refused", "[chrome]") {
  Timeline timeline = one_device();
  timeline.slices = {slice(0, 0.0, 1e10)};
  CHECK_THROWS_AS(text_of(timeline), lockstep::Error);
  timeline.slices = {slice(0, 0.0, 9e9), slice(0, 9e9, 9.1e9)};
  const auto found = events(timeline, "X");
  CHECK(found[0].at("ts").get<double>() + found[0].at("dur").get<double>() <=
        found[1].at("ts").get<double>());
}

TEST_CASE("a crowd of arrows is left out, and the trace says so", "[chrome]") {
  Timeline timeline = one_device();
  timeline.slices = {slice(0, 0.0, 1.0), slice(0, 1.0, 2.0)};
  timeline.flows.assign(499'999, {0, 1, 0.0});  // 2 + 2 * 499,999 = 1,000,000 events
  std::string text = text_of(timeline);
  CHECK(text.find("\"ph\":\"f\"") != std::string::npos);
  CHECK(text.find("flows_left_out") == std::string::npos);
  timeline.flows.push_back({0, 1, 0.0});
  text = text_of(timeline);
  CHECK(text.find("\"ph\":\"f\"") == std::string::npos);
  CHECK(json::parse(text).at("otherData").at("flows_left_out") == 500'000);
}
