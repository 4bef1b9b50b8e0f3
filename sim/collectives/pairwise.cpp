// SPDX-License-Identifier: Apache-2.0
// Pairwise all-to-all: in step s every rank sends to the rank s further on what is for it.
// Source: Thakur, Rabenseifner, Gropp 2005 (IJHPCA 19:49), section 4.3.
#include "lockstep/analytic/formulas/all_to_all.hpp"
#include "lockstep/sim/collectives/collective.hpp"

namespace lockstep {
namespace {

// Part f n + t is what rank f has for rank t.
std::int64_t parts(const CollectiveShape& shape) {
  return shape.ranks * shape.ranks;
}

std::vector<CollectiveMessage> messages(const CollectiveShape& shape) {
  const auto n = static_cast<std::int32_t>(shape.ranks);
  std::vector<CollectiveMessage> list;
  for (std::int32_t step = 0; step < n - 1; ++step)
    for (std::int32_t from = 0; from < n; ++from) {
      const std::int32_t to = (from + step + 1) % n;
      list.push_back({step, from, to, from * n + to, 1, 1.0 / n, false});
    }
  return list;
}

double message_count(const CollectiveShape& shape) {
  const auto n = static_cast<double>(shape.ranks);
  return n * (n - 1.0);
}

// A rank has a partner a step, so an edge has one message: steps are phases.
std::vector<CollectiveFlow> flows(const CollectiveShape& shape) {
  return flows_by_step(messages(shape));
}

Seconds closed_form(Bytes message, const CollectiveShape& shape, LinkClass near, LinkClass) {
  return all_to_all(message, shape.ranks, near.rate, near.latency);
}

}  // namespace

extern const CollectiveInfo collective_pairwise;
const CollectiveInfo collective_pairwise{
    .name = "pairwise",
    .operation = "all-to-all",
    .function = "all_to_all",
    .summary = "n-1 steps; in step s every rank sends to the rank s further on",
    .source = "Thakur, Rabenseifner, Gropp 2005 (IJHPCA 19:49), section 4.3",
    .claim = {"all_to_all", {Assumption::private_links, Assumption::flat_latency}, 1e-9},
    .steps_in_sequence = true,
    .parts = &parts,
    .messages = &messages,
    .message_count = &message_count,
    .flows = &flows,
    .flow_count = &message_count,
    .closed_form = &closed_form};

}  // namespace lockstep
