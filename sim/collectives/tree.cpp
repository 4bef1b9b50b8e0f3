// SPDX-License-Identifier: Apache-2.0
// Binomial-tree all-reduce: a reduce to rank 0 up the tree and a broadcast down, whole messages,
// level after level. Source: Thakur, Rabenseifner, Gropp 2005 (IJHPCA 19:49), section 4.
#include <bit>

#include "lockstep/analytic/formulas/tree_all_reduce.hpp"
#include "lockstep/sim/collectives/collective.hpp"

namespace lockstep {
namespace {

std::int64_t parts(const CollectiveShape&) {
  return 1;
}

std::int32_t levels(const CollectiveShape& shape) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(shape.ranks - 1)));
}

std::vector<CollectiveMessage> messages(const CollectiveShape& shape) {
  std::vector<CollectiveMessage> list;
  const std::int32_t depth = levels(shape);
  const auto add_level = [&](std::int32_t level, std::int32_t step, bool up) {
    const std::int64_t distance = std::int64_t{1} << level;
    for (std::int64_t child = distance; child < shape.ranks; child += 2 * distance) {
      const auto low = static_cast<std::int32_t>(child - distance);
      const auto high = static_cast<std::int32_t>(child);
      list.push_back({step, up ? high : low, up ? low : high, 0, 1, 1.0, up});
    }
  };
  for (std::int32_t level = 0; level < depth; ++level) add_level(level, level, true);
  for (std::int32_t level = 0; level < depth; ++level)
    add_level(depth - 1 - level, depth + level, false);
  return list;
}

double message_count(const CollectiveShape& shape) {
  return 2.0 * (static_cast<double>(shape.ranks) - 1.0);
}

std::vector<CollectiveFlow> flows(const CollectiveShape& shape) {
  return flows_by_step(messages(shape));
}

Seconds closed_form(Bytes message, const CollectiveShape& shape, LinkClass near, LinkClass) {
  return tree_all_reduce(message, shape.ranks, near.rate, near.latency);
}

}  // namespace

extern const CollectiveInfo collective_tree;
const CollectiveInfo collective_tree{
    .name = "tree",
    .operation = "all-reduce",
    .function = "tree_allreduce",
    .summary = "whole messages up a binomial tree to rank 0 and down again, level after level",
    .source = "Thakur, Rabenseifner, Gropp 2005 (IJHPCA 19:49), section 4",
    .claim = {"tree_all_reduce", {Assumption::private_links, Assumption::flat_latency}, 1e-9},
    .steps_in_sequence = true,
    .parts = &parts,
    .messages = &messages,
    .message_count = &message_count,
    .flows = &flows,
    .flow_count = &message_count,
    .closed_form = &closed_form};

}  // namespace lockstep
