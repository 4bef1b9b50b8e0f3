// SPDX-License-Identifier: Apache-2.0
// What happened when: slices on tracks, flows between slices, counters. Times are double seconds.
// Layer: traces (may include platforms only).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockstep {

/// The stream of a device on which a slice runs. One track a (device, stream); slices of one track
/// never overlap.
enum class Stream : std::uint8_t {
  none,              ///< not drawn: joins, eager transfers
  compute,           ///< busy time is what runs here
  tensor,            ///< tensor-parallel collectives
  context,           ///< context-parallel exchange
  expert,            ///< expert all-to-all
  data,              ///< data-parallel collectives
  pipeline_send,     ///< pipeline sends
  pipeline_receive,  ///< pipeline receives
};

/// "compute", "data", "pipeline receive", ...: the name of the track and the category of its
/// slices.
[[nodiscard]] const char* name_of(Stream stream);

/// What a slice does with the activations of its microbatch.
enum class SliceRole : std::uint8_t {
  other,
  forward,           ///< makes activations live at its start
  backward,          ///< frees them at its end
  backward_input,    ///< frees them at its end; the weight gradient may still follow
  backward_weight,   ///< input of the gradient only
  forward_backward,  ///< an overlapped pair: a forward of `microbatch`, a backward of `partner`
};

struct Process {
  std::string name;  ///< "stage 0", "device 3"
};

struct Track {
  std::int32_t process = 0;  ///< index into Timeline::processes
  Stream stream = Stream::compute;
};

struct Slice {
  double start = 0.0;  ///< s, >= 0
  double end = 0.0;    ///< s, >= start
  double bytes = 0.0;  ///< carried, 0 for computation
  std::int32_t track = 0;
  std::int32_t name = 0;         ///< index into Timeline::names
  std::int32_t microbatch = -1;  ///< -1: none
  std::int32_t partner = -1;     ///< microbatch of the backward half of forward_backward; else -1
  std::int32_t peer = -1;        ///< process at the other end of a message; -1: none
  std::int32_t stage = -1;       ///< model chunk in model order; -1: none
  SliceRole role = SliceRole::other;
};

/// A message: an arrow from the end of one slice to the start of another.
struct FlowArrow {
  std::int32_t from = 0;  ///< index into Timeline::slices
  std::int32_t to = 0;    ///< index into Timeline::slices; starts at or after the end of `from`
  double bytes = 0.0;
};

class Timeline {
 public:
  std::vector<Process> processes;
  std::vector<Track> tracks;
  std::vector<Slice> slices;
  std::vector<FlowArrow> flows;
  std::vector<std::string> names;

  /// The id of a name, made once for each text.
  std::int32_t intern(std::string_view name);

  /// Throws Error(internal) unless every index is valid, a (device, stream) has one track, every
  /// time and size is finite and >= 0, every slice ends no earlier than it starts, no two slices of
  /// a track overlap (abutting slices and empty ones at an edge are fine; Stream::none is free) and
  /// every flow goes forward in time.
  void check() const;

  /// The last end of any slice, s; 0 without slices.
  [[nodiscard]] double last_end() const;

 private:
  std::unordered_map<std::string, std::int32_t> name_ids_;
};

/// The slices of every track in the order of time: those of track t are
/// `slices[first[t]] ... slices[first[t + 1] - 1]`, by start, then end, then index. Four bytes a
/// slice.
struct TrackOrder {
  std::vector<std::int32_t> slices;  ///< indices into Timeline::slices
  std::vector<std::size_t> first;    ///< one more than tracks
};

/// Throws Error(internal) when a slice names a track that does not exist. Linear when the slices of
/// each track already stand in order, else n log n.
[[nodiscard]] TrackOrder order_by_track(const Timeline& timeline);

}  // namespace lockstep
