// SPDX-License-Identifier: Apache-2.0
// Hierarchical all-reduce: a ring reduce-scatter inside each node, a ring all-reduce across nodes
// of each rank's 1/g chunk, a ring all-gather inside. Source: Jia et al. 2018 (arXiv:1807.11205),
// section 3.3.
#include "lockstep/analytic/formulas/hierarchical_all_reduce.hpp"
#include "lockstep/sim/collectives/collective.hpp"

namespace lockstep {
namespace {

struct Layout {
  std::int32_t g;  // ranks a node
  std::int32_t k;  // nodes
};

Layout layout_of(const CollectiveShape& shape) {
  return {static_cast<std::int32_t>(shape.per_node),
          static_cast<std::int32_t>(shape.ranks / shape.per_node)};
}

// g chunks of k parts: chunk c is parts c k to c k + k - 1.
std::int64_t parts(const CollectiveShape& shape) {
  return shape.ranks;
}

void add_inside(const Layout& layout, std::int32_t first_step, std::int32_t lead, bool reduces,
                std::vector<CollectiveMessage>& list) {
  const auto [g, k] = layout;
  for (std::int32_t step = 0; step < g - 1; ++step)
    for (std::int32_t node = 0; node < k; ++node)
      for (std::int32_t local = 0; local < g; ++local) {
        const std::int32_t chunk = (local + lead + 2 * g - step) % g;
        list.push_back({first_step + step, node * g + local, node * g + (local + 1) % g, chunk * k,
                        k, 1.0 / g, reduces});
      }
}

// Rank `local` of each node has reduced chunk local + 1 and takes it round the nodes.
void add_across(const Layout& layout, std::int32_t first_step,
                std::vector<CollectiveMessage>& list) {
  const auto [g, k] = layout;
  for (std::int32_t step = 0; step < 2 * (k - 1); ++step)
    for (std::int32_t node = 0; node < k; ++node)
      for (std::int32_t local = 0; local < g; ++local) {
        const std::int32_t part = (local + 1) % g * k + (node + 2 * k - step) % k;
        list.push_back({first_step + step, node * g + local, (node + 1) % k * g + local, part, 1,
                        1.0 / (static_cast<double>(g) * k), step < k - 1});
      }
}

std::vector<CollectiveMessage> messages(const CollectiveShape& shape) {
  const Layout layout = layout_of(shape);
  std::vector<CollectiveMessage> list;
  add_inside(layout, 0, 0, true, list);
  add_across(layout, layout.g - 1, list);
  add_inside(layout, layout.g - 1 + 2 * (layout.k - 1), 1, false, list);
  return list;
}

double message_count(const CollectiveShape& shape) {
  const auto n = static_cast<double>(shape.ranks);
  const auto g = static_cast<double>(shape.per_node);
  return 2.0 * n * (g - 1.0) + 2.0 * n * (n / g - 1.0);
}

std::vector<CollectiveFlow> flows(const CollectiveShape& shape) {
  const auto [g, k] = layout_of(shape);
  std::vector<CollectiveFlow> list;
  for (const std::int32_t phase : {0, 1, 2})
    for (std::int32_t node = 0; node < k; ++node)
      for (std::int32_t local = 0; local < g; ++local) {
        const std::int32_t from = node * g + local;
        if (phase == 1 && k > 1)
          list.push_back({phase, from, (node + 1) % k * g + local, std::int64_t{2} * (k - 1),
                          2.0 * (k - 1) / (static_cast<double>(g) * k)});
        if (phase != 1 && g > 1)
          list.push_back(
              {phase, from, node * g + (local + 1) % g, g - 1, static_cast<double>(g - 1) / g});
      }
  return list;
}

double flow_count(const CollectiveShape& shape) {
  const auto [g, k] = layout_of(shape);
  return static_cast<double>(shape.ranks) * ((g > 1 ? 2.0 : 0.0) + (k > 1 ? 1.0 : 0.0));
}

Seconds closed_form(Bytes message, const CollectiveShape& shape, LinkClass near, LinkClass far) {
  return hierarchical_all_reduce(message, shape.ranks / shape.per_node, shape.per_node, near, far);
}

}  // namespace

extern const CollectiveInfo collective_hierarchical;
const CollectiveInfo collective_hierarchical{
    .name = "hierarchical",
    .operation = "all-reduce",
    .function = "hierarchical_allreduce",
    .summary = "reduce-scatter inside each node, rings across nodes, all-gather inside",
    .source = "Jia et al. 2018 (arXiv:1807.11205), section 3.3",
    .claim = {"hierarchical_all_reduce",
              {Assumption::private_links, Assumption::flat_latency, Assumption::full_nodes},
              1e-9},
    .uses_nodes = true,
    .parts = &parts,
    .messages = &messages,
    .message_count = &message_count,
    .flows = &flows,
    .flow_count = &flow_count,
    .closed_form = &closed_form};

}  // namespace lockstep
