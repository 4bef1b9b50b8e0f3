// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "collective": one collective operation on links of one rate.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <string>

#include "lockstep/platforms/quantity.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

struct CollectiveSpec {
  std::string function = "ring_allreduce";  ///< name of the reference's function
  std::int64_t ranks = 1;                   ///< n, >= 1
  Bytes message;                            ///< M, of each rank, >= 0
  BytesPerSecond bandwidth;                 ///< W, one way, > 0
  Seconds latency;                          ///< A, a hop, >= 0
};

/// Reads function, n, message, bandwidth and latency.
[[nodiscard]] CollectiveSpec read_collective(TableReader& reader);

}  // namespace lockstep
