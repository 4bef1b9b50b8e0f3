// SPDX-License-Identifier: Apache-2.0
#include "lockstep/traces/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

bool is_index(std::int32_t index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

const Slice& slice_at(const Timeline& timeline, std::int32_t index) {
  return timeline.slices[static_cast<std::size_t>(index)];
}

/// "slice 12 'F3' [0.5, 0.75]": how an error names a slice.
std::string describe(const Timeline& timeline, std::size_t index) {
  const Slice& slice = timeline.slices[index];
  std::string text = "slice " + std::to_string(index);
  if (is_index(slice.name, timeline.names.size()))
    text += " '" + timeline.names[static_cast<std::size_t>(slice.name)] + "'";
  return text + " [" + std::to_string(slice.start) + ", " + std::to_string(slice.end) + "]";
}

void check_tracks(const Timeline& timeline) {
  std::vector<std::pair<std::int32_t, Stream>> seen;
  seen.reserve(timeline.tracks.size());
  for (const Track& track : timeline.tracks) {
    LOCKSTEP_CHECK(is_index(track.process, timeline.processes.size()),
                   "a track belongs to a process that does not exist");
    seen.emplace_back(track.process, track.stream);
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  LOCKSTEP_CHECK(twice == seen.end(), "process " + std::to_string(twice->first) +
                                          " has two tracks for its stream " +
                                          name_of(twice->second));
}

void check_slice(const Timeline& timeline, std::size_t index) {
  const Slice& slice = timeline.slices[index];
  LOCKSTEP_CHECK(is_index(slice.track, timeline.tracks.size()),
                 describe(timeline, index) + " is on a track that does not exist");
  LOCKSTEP_CHECK(is_index(slice.name, timeline.names.size()),
                 describe(timeline, index) + " has a name that does not exist");
  LOCKSTEP_CHECK(slice.peer == -1 || is_index(slice.peer, timeline.processes.size()),
                 describe(timeline, index) + " has a peer that does not exist");
  LOCKSTEP_CHECK(std::isfinite(slice.start) && std::isfinite(slice.end) && slice.start >= 0.0,
                 describe(timeline, index) + " has a time that is negative or not finite");
  LOCKSTEP_CHECK(slice.end >= slice.start, describe(timeline, index) + " ends before it starts");
  LOCKSTEP_CHECK(std::isfinite(slice.bytes) && slice.bytes >= 0.0,
                 describe(timeline, index) + " has a size that is negative or not finite");
  LOCKSTEP_CHECK(slice.microbatch >= -1 && slice.partner >= -1 && slice.stage >= -1,
                 describe(timeline, index) + " has a negative microbatch or stage");
}

void check_overlaps(const Timeline& timeline) {
  const TrackOrder order = order_by_track(timeline);
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    if (timeline.tracks[track].stream == Stream::none) continue;
    for (std::size_t at = order.first[track] + 1; at < order.first[track + 1]; ++at) {
      const std::int32_t before = order.slices[at - 1];
      const std::int32_t after = order.slices[at];
      LOCKSTEP_CHECK(slice_at(timeline, before).end <= slice_at(timeline, after).start,
                     describe(timeline, static_cast<std::size_t>(before)) + " overlaps " +
                         describe(timeline, static_cast<std::size_t>(after)) + " on track " +
                         std::to_string(track));
    }
  }
}

void check_flows(const Timeline& timeline) {
  for (const FlowArrow& flow : timeline.flows) {
    LOCKSTEP_CHECK(
        is_index(flow.from, timeline.slices.size()) && is_index(flow.to, timeline.slices.size()),
        "a flow joins a slice that does not exist");
    LOCKSTEP_CHECK(slice_at(timeline, flow.from).end <= slice_at(timeline, flow.to).start,
                   "a flow goes back in time, from " +
                       describe(timeline, static_cast<std::size_t>(flow.from)) + " to " +
                       describe(timeline, static_cast<std::size_t>(flow.to)));
    LOCKSTEP_CHECK(std::isfinite(flow.bytes) && flow.bytes >= 0.0,
                   "a flow has a size that is negative or not finite");
  }
}

}  // namespace

const char* name_of(Stream stream) {
  switch (stream) {
    case Stream::none:
      return "none";
    case Stream::compute:
      return "compute";
    case Stream::tensor:
      return "tensor";
    case Stream::context:
      return "context";
    case Stream::expert:
      return "expert";
    case Stream::data:
      return "data";
    case Stream::pipeline_send:
      return "pipeline send";
    case Stream::pipeline_receive:
      return "pipeline receive";
  }
  return "none";
}

std::int32_t Timeline::intern(std::string_view name) {
  // `names` is public: texts put there directly get their ids here, the first of equals wins.
  for (std::size_t id = name_ids_.size(); id < names.size(); ++id)
    name_ids_.emplace(names[id], static_cast<std::int32_t>(id));
  const auto [place, is_new] =
      name_ids_.emplace(std::string(name), static_cast<std::int32_t>(names.size()));
  if (is_new) names.emplace_back(name);
  return place->second;
}

void Timeline::check() const {
  check_tracks(*this);
  for (std::size_t index = 0; index < slices.size(); ++index) check_slice(*this, index);
  check_overlaps(*this);
  check_flows(*this);
}

double Timeline::last_end() const {
  double last = 0.0;
  for (const Slice& slice : slices) last = std::max(last, slice.end);
  return last;
}

TrackOrder order_by_track(const Timeline& timeline) {
  const std::size_t tracks = timeline.tracks.size();
  TrackOrder order;
  order.first.assign(tracks + 1, 0);
  for (const Slice& slice : timeline.slices) {
    LOCKSTEP_CHECK(is_index(slice.track, tracks), "a slice is on a track that does not exist");
    ++order.first[static_cast<std::size_t>(slice.track) + 1];
  }
  for (std::size_t track = 0; track < tracks; ++track) order.first[track + 1] += order.first[track];

  std::vector<std::size_t> next(order.first.begin(), order.first.end() - 1);
  order.slices.resize(timeline.slices.size());
  for (std::size_t index = 0; index < timeline.slices.size(); ++index)
    order.slices[next[static_cast<std::size_t>(timeline.slices[index].track)]++] =
        static_cast<std::int32_t>(index);

  const auto earlier = [&](std::int32_t a, std::int32_t b) {
    const Slice& left = slice_at(timeline, a);
    const Slice& right = slice_at(timeline, b);
    return std::tie(left.start, left.end, a) < std::tie(right.start, right.end, b);
  };
  for (std::size_t track = 0; track < tracks; ++track) {
    const auto begin = order.slices.begin() + static_cast<std::ptrdiff_t>(order.first[track]);
    const auto end = order.slices.begin() + static_cast<std::ptrdiff_t>(order.first[track + 1]);
    if (!std::is_sorted(begin, end, earlier)) std::sort(begin, end, earlier);
  }
  return order;
}

}  // namespace lockstep
