// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "data-parallel-scale-out": fields of the documented DataParallelScaleOutScenario.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/analytic/workload.hpp"
#include "lockstep/platforms/quantity.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

struct DataParallelScaleOutSpec {
  Workload workload;
  std::string precision = "fp16";
  Seconds step_time;                              ///< t1: one local step of one device, > 0
  Seconds training_time;                          ///< T1: the whole run on one device, >= 0
  std::int64_t per_device_batch = 1;              ///< B, >= 1
  std::int64_t devices_per_node = 1;              ///< g, >= 1
  std::int64_t nodes = 1;                         ///< k, >= 1
  BytesPerSecond intra_bandwidth;                 ///< Wi, > 0
  std::optional<BytesPerSecond> inter_bandwidth;  ///< Wx, > 0; needed when k > 1
  std::int64_t accumulation_steps = 1;            ///< s, >= 1
  std::optional<UsdPerSecond> node_hour_rate;     ///< c, >= 0

  [[nodiscard]] std::int64_t devices() const { return devices_per_node * nodes; }
};

/// Reads all fields; refuses more than one node without inter_bandwidth.
[[nodiscard]] DataParallelScaleOutSpec read_data_parallel_scale_out(TableReader& reader);

}  // namespace lockstep
