// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/collective.hpp"

#include <fmt/format.h>

namespace lockstep {
namespace {

constexpr std::int64_t most_ranks = 1'000'000;

void read_nodes(TableReader& reader, CollectiveSpec& spec) {
  const std::int64_t nodes = reader.count("n_nodes", {}, 1, most_ranks);
  spec.per_node = reader.count("gpus_per_node", {}, 1, most_ranks);
  spec.ranks = nodes * spec.per_node;
  if (spec.ranks > most_ranks)
    reader.problem("n_nodes", fmt::format("{} ranks are more than {}", spec.ranks, most_ranks));
  spec.near.rate = reader.quantity<BytesPerSecond>("intra_bw", positive);
  spec.far.rate = reader.quantity<BytesPerSecond>("inter_bw", positive);
  spec.near.latency = reader.quantity<Seconds>("intra_latency", non_negative, Seconds(500e-9));
  spec.far.latency = reader.quantity<Seconds>("inter_latency", non_negative, Seconds(5e-6));
}

}  // namespace

CollectiveSpec read_collective(TableReader& reader) {
  static const std::vector<std::string> functions = {"ring_allreduce", "tree_allreduce",
                                                     "double_binary_tree_allreduce", "all_to_all",
                                                     "hierarchical_allreduce"};
  CollectiveSpec spec;
  spec.function = reader.choice("function", functions);
  spec.message = reader.quantity<Bytes>("message", non_negative);
  if (spec.function == "hierarchical_allreduce") {
    read_nodes(reader, spec);
    return spec;
  }
  spec.ranks = reader.count("n", {}, 1, most_ranks);
  spec.per_node = spec.ranks;
  spec.near.rate = reader.quantity<BytesPerSecond>("bandwidth", positive);
  spec.near.latency = reader.quantity<Seconds>("latency", non_negative, Seconds(0.0));
  spec.far = spec.near;
  return spec;
}

}  // namespace lockstep
