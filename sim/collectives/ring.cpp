// SPDX-License-Identifier: Apache-2.0
// Ring all-reduce: a reduce-scatter round, then an all-gather round, each of n-1 steps in which
// every rank sends one of n equal parts to its right neighbour.
// Source: Patarasuk and Yuan 2009 (JPDC 69:117); NCCL's ring.
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"
#include "lockstep/sim/collectives/collective.hpp"

namespace lockstep {
namespace {

std::int64_t parts(const CollectiveShape& shape) {
  return shape.ranks;
}

std::vector<CollectiveMessage> messages(const CollectiveShape& shape) {
  const auto n = static_cast<std::int32_t>(shape.ranks);
  std::vector<CollectiveMessage> list;
  for (std::int32_t step = 0; step < 2 * (n - 1); ++step)
    for (std::int32_t rank = 0; rank < n; ++rank) {
      // In step s a rank passes on the part that it got in step s-1; n parts go round once.
      const std::int32_t part = (rank + 2 * n - step) % n;
      list.push_back({step, rank, (rank + 1) % n, part, 1, 1.0 / n, step < n - 1});
    }
  return list;
}

double message_count(const CollectiveShape& shape) {
  const auto n = static_cast<double>(shape.ranks);
  return 2.0 * n * (n - 1.0);
}

std::vector<CollectiveFlow> flows(const CollectiveShape& shape) {
  const auto n = static_cast<std::int32_t>(shape.ranks);
  std::vector<CollectiveFlow> list;
  if (n == 1) return list;
  const std::int64_t sent = 2 * (shape.ranks - 1);
  for (std::int32_t rank = 0; rank < n; ++rank)
    list.push_back({0, rank, (rank + 1) % n, sent, static_cast<double>(sent) / n});
  return list;
}

double flow_count(const CollectiveShape& shape) {
  return shape.ranks == 1 ? 0.0 : static_cast<double>(shape.ranks);
}

Seconds closed_form(Bytes message, const CollectiveShape& shape, LinkClass near, LinkClass) {
  return ring_all_reduce(message, shape.ranks, near.rate, near.latency);
}

}  // namespace

extern const CollectiveInfo collective_ring;
const CollectiveInfo collective_ring{
    .name = "ring",
    .operation = "all-reduce",
    .function = "ring_allreduce",
    .summary = "n-1 reduce-scatter steps, then n-1 all-gather steps, between neighbours",
    .source = "Patarasuk and Yuan 2009 (JPDC 69:117)",
    .claim = {"ring_all_reduce", {Assumption::private_links, Assumption::flat_latency}, 1e-9},
    .parts = &parts,
    .messages = &messages,
    .message_count = &message_count,
    .flows = &flows,
    .flow_count = &flow_count,
    .closed_form = &closed_form};

}  // namespace lockstep
