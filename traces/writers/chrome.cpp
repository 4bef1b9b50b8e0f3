// SPDX-License-Identifier: Apache-2.0
// Chrome trace events: the JSON that Perfetto, about:tracing and speedscope open.
// Layer: traces (may include platforms only).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/platforms/error.hpp"
#include "lockstep/traces/metrics.hpp"
#include "lockstep/traces/timeline.hpp"
#include "lockstep/traces/writer.hpp"
#include "lockstep/traces/writers/json_text.hpp"

namespace lockstep {
namespace {

using Nanoseconds = std::int64_t;

// What viewers still open (Perfetto in a browser has about 2 GB for everything). Arrows are two
// events each and nobody can follow them in such a crowd, so they go first.
constexpr std::size_t most_events = 1'000'000;

// Up to here a double holds every nanosecond (104 days); beyond, readers lose digits.
constexpr Nanoseconds exact_until = Nanoseconds{1} << 53;

Nanoseconds to_nanoseconds(double seconds) {
  const double value = seconds * 1e9;
  if (!(value >= 0.0 && value < 9.2e18))
    throw Error(ErrorKind::unsupported,
                "a Chrome trace counts nanoseconds in 64 bits and cannot show a time of " +
                    fmt::format("{} s", seconds),
                {}, "the latest time is 292 years");
  return std::llround(value);
}

/// The double that a reader gets for a time written as microseconds with three decimals.
double as_read(Nanoseconds time) {
  if (time <= exact_until) return static_cast<double>(time) / 1000.0;  // rounded once, as parsing
  std::string text = std::to_string(time);
  text.insert(text.size() - 3, 1, '.');
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The duration to write for a slice from `start` to `end` when the next one of its track starts at
/// `next`. Readers add ts + dur in doubles; where that sum passes the next start (by 1e-12 us, say)
/// they take the next slice for a child of this one, so the duration written gives way by 1 ns.
Nanoseconds written_duration(Nanoseconds start, Nanoseconds end, Nanoseconds next) {
  Nanoseconds duration = std::min(end, next) - start;
  const double limit = as_read(next);
  while (duration > 0 && as_read(start) + as_read(duration) > limit) --duration;
  return duration;
}

/// A time inside a slice, as near its end as every reader still takes to be inside.
Nanoseconds flow_start(const Slice& slice) {
  const Nanoseconds start = to_nanoseconds(slice.start);
  const Nanoseconds end = to_nanoseconds(slice.end);
  return end > exact_until ? start : std::max(start, end - 1);
}

std::string_view kind_of(SliceRole role, Stream stream) {
  switch (role) {
    case SliceRole::forward:
      return "forward";
    case SliceRole::backward:
      return "backward";
    case SliceRole::backward_input:
      return "backward_input";
    case SliceRole::backward_weight:
      return "backward_weight";
    case SliceRole::forward_backward:
      return "forward_backward";
    case SliceRole::other:
      break;
  }
  switch (stream) {
    case Stream::tensor:
    case Stream::context:
    case Stream::expert:
    case Stream::data:
      return "collective";
    case Stream::pipeline_send:
      return "send";
    case Stream::pipeline_receive:
      return "receive";
    case Stream::none:
    case Stream::compute:
      break;
  }
  return "other";
}

// Viewers treat process 0 and thread 0 as special, so both count from 1 (Stream::none is 0).
std::int64_t pid_of(std::int32_t process) {
  return std::int64_t{process} + 1;
}
std::int64_t tid_of(Stream stream) {
  return static_cast<std::int64_t>(stream);
}

class ChromeWriter {
 public:
  ChromeWriter(const Timeline& timeline, std::ostream& out)
      : timeline_(timeline),
        order_(order_by_track(timeline)),
        draws_flows_(timeline.slices.size() + 2 * timeline.flows.size() <= most_events),
        text_(out) {}

  void write(const TraceMetadata& metadata) {
    write_head(metadata);
    write_names();
    for (std::size_t track = 0; track < timeline_.tracks.size(); ++track) write_slices(track);
    for (std::size_t track = 0; track < timeline_.tracks.size(); ++track) write_counter(track);
    for (std::size_t index = 0; draws_flows_ && index < timeline_.flows.size(); ++index)
      write_flow(index);
    text_.raw("\n]}\n");
    text_.flush();
  }

 private:
  void write_head(const TraceMetadata& metadata) {
    text_.raw(R"({"displayTimeUnit":"ns","otherData":{"title":)");
    text_.string(metadata.title);
    for (const auto& [key, value] : metadata.details) {
      text_.raw(",");
      text_.string(key);
      text_.raw(":");
      text_.string(value);
    }
    if (!draws_flows_ && !timeline_.flows.empty()) {
      text_.raw(",\"flows_left_out\":");
      text_.integer(static_cast<std::int64_t>(timeline_.flows.size()));
    }
    text_.raw("},\"traceEvents\":[");
  }

  void begin_event(std::string_view phase) {
    text_.raw(is_first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    is_first_ = false;
    text_.raw(phase);
    text_.raw("\"");
  }

  void put_place(const Track& track) {
    text_.raw(",\"pid\":");
    text_.integer(pid_of(track.process));
    text_.raw(",\"tid\":");
    text_.integer(tid_of(track.stream));
  }

  void put_time(Nanoseconds time) {
    text_.raw(",\"ts\":");
    text_.microseconds(time);
  }

  void put_argument(std::string_view prefix, std::int64_t value) {
    text_.raw(prefix);
    text_.integer(value);
  }

  void write_names() {
    for (std::size_t index = 0; index < timeline_.processes.size(); ++index) {
      const auto process = static_cast<std::int32_t>(index);
      begin_event("M");
      put_argument(",\"pid\":", pid_of(process));
      text_.raw(R"(,"name":"process_name","args":{"name":)");
      text_.string(timeline_.processes[index].name);
      text_.raw("}}");
      begin_event("M");
      put_argument(",\"pid\":", pid_of(process));
      put_argument(R"(,"name":"process_sort_index","args":{"sort_index":)", process);
      text_.raw("}}");
    }
    for (const Track& track : timeline_.tracks) {
      if (track.stream == Stream::none) continue;
      begin_event("M");
      put_place(track);
      text_.raw(R"(,"name":"thread_name","args":{"name":)");
      text_.string(name_of(track.stream));
      text_.raw("}}");
      begin_event("M");
      put_place(track);
      put_argument(R"(,"name":"thread_sort_index","args":{"sort_index":)", tid_of(track.stream));
      text_.raw("}}");
    }
  }

  void write_slices(std::size_t track) {
    if (timeline_.tracks[track].stream == Stream::none) return;
    const std::size_t last = order_.first[track + 1];
    for (std::size_t at = order_.first[track]; at < last; ++at) {
      const Slice& slice = slice_at(order_.slices[at]);
      const Nanoseconds start = to_nanoseconds(slice.start);
      const Nanoseconds end = to_nanoseconds(slice.end);
      Nanoseconds shown = end - start;
      if (at + 1 < last)
        shown = written_duration(start, end, to_nanoseconds(slice_at(order_.slices[at + 1]).start));
      write_slice(slice, timeline_.tracks[track], start, shown, end - start);
    }
  }

  void write_slice(const Slice& slice, const Track& track, Nanoseconds start, Nanoseconds shown,
                   Nanoseconds duration) {
    const std::string& name = timeline_.names[static_cast<std::size_t>(slice.name)];
    begin_event("X");
    put_place(track);
    put_time(start);
    text_.raw(",\"dur\":");
    text_.microseconds(shown);
    text_.raw(",\"name\":");
    text_.string(name.empty() ? name_of(track.stream) : std::string_view(name));
    text_.raw(",\"cat\":\"");
    text_.raw(name_of(track.stream));
    text_.raw(R"(","args":{"kind":")");
    text_.raw(kind_of(slice.role, track.stream));
    text_.raw("\"");
    if (slice.microbatch >= 0) put_argument(",\"microbatch\":", slice.microbatch);
    if (slice.partner >= 0) put_argument(",\"partner\":", slice.partner);
    if (slice.stage >= 0) put_argument(",\"stage\":", slice.stage);
    if (slice.bytes > 0.0) {
      text_.raw(",\"bytes\":");
      text_.number(slice.bytes);
    }
    if (slice.peer >= 0) {
      text_.raw(",\"peer\":");
      text_.string(timeline_.processes[static_cast<std::size_t>(slice.peer)].name);
    }
    put_argument(",\"dur_ns\":", duration);
    text_.raw("}}");
  }

  void write_counter(std::size_t track) {
    const Track& place = timeline_.tracks[track];
    if (place.stream != Stream::compute) return;
    visit_live_microbatches(timeline_, order_, static_cast<std::int32_t>(track),
                            [&](double time, std::int64_t live) {
                              begin_event("C");
                              put_argument(",\"pid\":", pid_of(place.process));
                              put_time(to_nanoseconds(time));
                              put_argument(R"(,"name":"live microbatches","args":{"live":)", live);
                              text_.raw("}}");
                            });
  }

  void write_flow(std::size_t index) {
    const FlowArrow& flow = timeline_.flows[index];
    const Slice& from = slice_at(flow.from);
    const Slice& to = slice_at(flow.to);
    if (track_of(from).stream == Stream::none || track_of(to).stream == Stream::none) return;
    write_flow_end("s", index, from, flow_start(from));
    write_flow_end("f", index, to, to_nanoseconds(to.start));
  }

  void write_flow_end(std::string_view phase, std::size_t index, const Slice& slice,
                      Nanoseconds time) {
    begin_event(phase);
    put_place(track_of(slice));
    put_time(time);
    put_argument(R"(,"name":"message","cat":"message","id":)", static_cast<std::int64_t>(index));
    text_.raw(phase == "f" ? ",\"bp\":\"e\"}" : "}");
  }

  const Slice& slice_at(std::int32_t index) const {
    return timeline_.slices[static_cast<std::size_t>(index)];
  }
  const Track& track_of(const Slice& slice) const {
    return timeline_.tracks[static_cast<std::size_t>(slice.track)];
  }

  const Timeline& timeline_;
  const TrackOrder order_;
  const bool draws_flows_;
  JsonText text_;
  bool is_first_ = true;
};

void write_chrome(const Timeline& timeline, const TraceMetadata& metadata, std::ostream& out) {
  ChromeWriter(timeline, out).write(metadata);
}

}  // namespace

extern const WriterInfo writer_chrome;
const WriterInfo writer_chrome = {
    .name = "chrome",
    .extension = ".json",
    .summary = "Chrome trace events (JSON) for Perfetto, about:tracing and speedscope",
    .write = write_chrome,
};

}  // namespace lockstep
