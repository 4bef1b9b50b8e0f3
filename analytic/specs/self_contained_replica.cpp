// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/self_contained_replica.hpp"

#include <fmt/format.h>

#include "lockstep/platforms/error.hpp"

namespace lockstep {

std::int64_t SelfContainedReplicaSpec::pipeline_depth() const {
  constexpr std::int64_t deepest = std::int64_t{1} << 40;
  std::int64_t depth = 1;
  const auto fits = [&] {
    const double share = static_cast<double>(tensor_parallel()) * static_cast<double>(depth);
    return state() / share <= fleet.accelerator.memory_capacity;
  };
  while (!fits()) {
    if (depth >= deepest)
      throw Error(ErrorKind::input,
                  fmt::format("no pipeline depth up to {} holds the state of {:.3g} bytes", deepest,
                              state().si()));
    depth *= 2;
  }
  return depth;
}

SelfContainedReplicaSpec read_self_contained_replica(TableReader& reader) {
  SelfContainedReplicaSpec spec;
  spec.workload = read_workload(reader);
  spec.fleet = read_cluster(reader);
  // Bytes a parameter: a plain number by the reference's field, a size with a unit by ours.
  const bool plain =
      reader.has("bytes_per_param") && reader.raw("bytes_per_param")->text() == nullptr;
  spec.bytes_per_param = plain ? Bytes(reader.number("bytes_per_param", positive))
                               : reader.quantity<Bytes>("bytes_per_param", positive, Bytes(16.0));
  if (spec.workload.parameters_raw_magnitude <= 0.0 && !spec.workload.name.empty())
    reader.problem("workload", "a replica needs the workload's parameters");
  return spec;
}

}  // namespace lockstep
