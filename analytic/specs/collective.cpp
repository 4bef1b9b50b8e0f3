// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/collective.hpp"

namespace lockstep {

CollectiveSpec read_collective(TableReader& reader) {
  constexpr std::int64_t most_ranks = 1'000'000;
  static const std::vector<std::string> functions = {"ring_allreduce"};
  CollectiveSpec spec;
  spec.function = reader.choice("function", functions);
  spec.ranks = reader.count("n", {}, 1, most_ranks);
  spec.message = reader.quantity<Bytes>("message", non_negative);
  spec.bandwidth = reader.quantity<BytesPerSecond>("bandwidth", positive);
  spec.latency = reader.quantity<Seconds>("latency", non_negative, Seconds(0.0));
  return spec;
}

}  // namespace lockstep
