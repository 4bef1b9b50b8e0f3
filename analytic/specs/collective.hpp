// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "collective": one collective operation on links of one or two rates.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <string>

#include "lockstep/platforms/quantity.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

/// A class of links: rate one way, and latency of a hop.
struct LinkClass {
  BytesPerSecond rate;  ///< > 0
  Seconds latency;      ///< >= 0
};

struct CollectiveSpec {
  std::string function = "ring_allreduce";  ///< name of the reference's function
  std::int64_t ranks = 1;                   ///< n, >= 1
  std::int64_t per_node = 1;                ///< g, >= 1, divides n; n where nodes do not matter
  Bytes message;                            ///< M, of each rank, >= 0
  LinkClass near;                           ///< inside a node; all links where nodes do not matter
  LinkClass far;                            ///< between nodes
};

/// Reads function, message, and n, bandwidth and latency; of "hierarchical_allreduce" instead
/// n_nodes, gpus_per_node, intra_bw, inter_bw, intra_latency and inter_latency.
[[nodiscard]] CollectiveSpec read_collective(TableReader& reader);

}  // namespace lockstep
