// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/data_parallel_scale_out.hpp"

#include "lockstep/analytic/precision.hpp"

namespace lockstep {

DataParallelScaleOutSpec read_data_parallel_scale_out(TableReader& reader) {
  constexpr std::int64_t most_devices = 1'000'000;
  DataParallelScaleOutSpec spec;
  spec.workload = read_workload(reader);
  spec.precision = read_precision(reader, "precision", "fp16");
  spec.step_time = reader.quantity<Seconds>("step_time", positive);
  spec.training_time = reader.quantity<Seconds>("training_time", non_negative);
  spec.per_device_batch = reader.count("per_device_batch");
  spec.devices_per_node = reader.count("devices_per_node", {}, 1, most_devices);
  spec.nodes = reader.count("nodes", 1, 1, most_devices);
  spec.intra_bandwidth = reader.quantity<BytesPerSecond>("intra_bandwidth", positive);
  spec.inter_bandwidth = reader.optional_quantity<BytesPerSecond>("inter_bandwidth", positive);
  spec.accumulation_steps = reader.count("accumulation_steps", 1);
  spec.node_hour_rate = reader.optional_quantity<UsdPerSecond>("node_hour_rate", non_negative);
  if (spec.nodes > 1 && !reader.has("inter_bandwidth") &&
      !reader.has("inter_bandwidth_bytes_per_s"))
    reader.problem("nodes", "inter_bandwidth is missing, and nodes is above 1",
                   "a rate in bytes, e.g. inter_bandwidth = \"10 Gbit/s\"");
  return spec;
}

}  // namespace lockstep
