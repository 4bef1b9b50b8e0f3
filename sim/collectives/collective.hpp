// SPDX-License-Identifier: Apache-2.0
// Collective algorithms: which rank sends which part to which, in what order. No times, no links.
// Layer: sim/collectives (platforms and analytic).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/analytic/specs/collective.hpp"
#include "lockstep/platforms/quantity.hpp"
#include "lockstep/sim/collectives/fidelity.hpp"
#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {

/// Who takes part. Ranks are numbered node by node; algorithms that know no nodes ignore them.
struct CollectiveShape {
  std::int64_t ranks = 1;     ///< n, >= 1
  std::int64_t per_node = 1;  ///< g, >= 1, divides n
};

/// One message of one step. A rank sends its parts only when what it received of them has come.
struct CollectiveMessage {
  std::int32_t step = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t part = 0;   ///< first of the parts (the buffer is cut into equal ones)
  std::int32_t parts = 1;  ///< how many
  double share = 0.0;      ///< its size as a share of the rank's message
  bool reduces = false;    ///< added to what the receiver has; otherwise it replaces it
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
  std::string_view function;   ///< the reference's name: `function` of kind "collective"
  std::string_view summary;
  std::string_view source;
  Claim claim;
  bool uses_nodes = false;         ///< the algorithm knows which ranks share a node
  bool steps_in_sequence = false;  ///< no message of a step before all of the step before
  /// Parts that the buffer is cut into.
  std::int64_t (*parts)(const CollectiveShape& shape);
  /// Every message, by step; for `steps`.
  std::vector<CollectiveMessage> (*messages)(const CollectiveShape& shape);
  /// How many those are, without making them.
  double (*message_count)(const CollectiveShape& shape);
  /// The same traffic as flows; for `flows`.
  std::vector<CollectiveFlow> (*flows)(const CollectiveShape& shape);
  /// How many those are, without making them.
  double (*flow_count)(const CollectiveShape& shape);
  /// The closed form of the claim; for `formula`, whose rows are never evidence. Algorithms that
  /// know no nodes use `near` alone.
  Seconds (*closed_form)(Bytes message, const CollectiveShape& shape, LinkClass near,
                         LinkClass far);
};

/// All collectives, in the order of collectives.def.
[[nodiscard]] std::span<const CollectiveInfo* const> collectives();

/// The algorithm of an operation by name; nullptr when there is none.
[[nodiscard]] const CollectiveInfo* find_collective(std::string_view operation,
                                                    std::string_view name);

/// One flow a message, each step a phase: the flows of an algorithm whose steps are in sequence.
[[nodiscard]] std::vector<CollectiveFlow> flows_by_step(
    const std::vector<CollectiveMessage>& messages);

/// Messages of a collective at a fidelity: what lowering it adds.
[[nodiscard]] double collective_tasks(const CollectiveInfo& algorithm, Fidelity fidelity,
                                      const CollectiveShape& shape);

}  // namespace lockstep
