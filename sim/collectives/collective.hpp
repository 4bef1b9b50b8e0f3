// SPDX-License-Identifier: Apache-2.0
// Collective algorithms: which rank sends which part to which, in what order. No times, no links.
// Layer: sim/collectives (platforms and analytic).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/platforms/quantity.hpp"
#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {

/// One message of one step. A rank sends a part only when what it received of that part has come.
struct CollectiveMessage {
  std::int32_t step = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t part = 0;  ///< which of the parts the buffer is cut into
  double share = 0.0;     ///< its size as a share of the rank's message
  bool reduces = false;   ///< added to what the receiver has; otherwise it replaces it
};

/// All messages that one rank sends to another in one phase, as one flow.
struct CollectiveFlow {
  std::int32_t phase = 0;  ///< phases follow each other
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t messages = 0;  ///< each pays the hop's latency
  double share = 0.0;         ///< their total size as a share of the rank's message
};

struct CollectiveInfo {
  std::string_view name;       ///< "ring"
  std::string_view operation;  ///< "all-reduce"
  std::string_view summary;
  std::string_view source;
  Claim claim;
  /// Every message, by step; for `steps`.
  std::vector<CollectiveMessage> (*messages)(std::int64_t ranks);
  /// How many those are, without making them.
  double (*message_count)(std::int64_t ranks);
  /// The same traffic as flows; for `flows`.
  std::vector<CollectiveFlow> (*flows)(std::int64_t ranks);
  /// The closed form of the claim; for `formula`, whose rows are never evidence.
  Seconds (*closed_form)(Bytes message, std::int64_t ranks, BytesPerSecond rate, Seconds latency);
};

/// All collectives, in the order of collectives.def.
[[nodiscard]] std::span<const CollectiveInfo* const> collectives();

/// The algorithm of an operation by name; nullptr when there is none.
[[nodiscard]] const CollectiveInfo* find_collective(std::string_view operation,
                                                    std::string_view name);

}  // namespace lockstep
