// SPDX-License-Identifier: Apache-2.0
// Hardware as plain data: accelerators, links, fabrics, and clusters of them.
// Layer: platforms (standard library only).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/platforms/quantity.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

/// A link as its vendor states it.
struct HardwareLink {
  std::string name;
  BytesPerSecond bandwidth;          ///< the vendor's figure, > 0
  bool bidirectional_total = false;  ///< the figure counts both directions
  std::optional<Seconds> latency;    ///< one way, >= 0

  [[nodiscard]] BytesPerSecond per_direction() const {
    return bidirectional_total ? bandwidth / 2.0 : bandwidth;
  }
};

struct Accelerator {
  std::string name;
  FlopsPerSecond peak;  ///< dense, 16 bit by convention, > 0
  /// Rate by precision as the datasheet names them ("fp8", "fp16_dense"), > 0.
  std::vector<std::pair<std::string, FlopsPerSecond>> precision_flops;
  Bytes memory_capacity;            ///< > 0
  BytesPerSecond memory_bandwidth;  ///< > 0
  std::optional<Bytes> sram_capacity;
  std::optional<BytesPerSecond> sram_bandwidth;
  std::optional<BytesPerSecond> flash_bandwidth;
  std::optional<HardwareLink> host_link;    ///< PCIe class
  std::optional<HardwareLink> device_link;  ///< NVLink class
  std::optional<Watts> tdp;
  Seconds dispatch_tax{1e-5};  ///< of launching a step, >= 0

  /// The rate listed under exactly this name.
  [[nodiscard]] std::optional<FlopsPerSecond> rate_at(std::string_view precision) const;
};

struct Fabric {
  std::string name;
  BytesPerSecond bandwidth;             ///< of an accelerator's port, one way, > 0
  std::optional<Seconds> latency;       ///< >= 0
  double oversubscription_ratio = 1.0;  ///< >= 1 in practice, > 0
};

/// Equal nodes of equal accelerators on one fabric.
struct Cluster {
  std::string name;
  std::int64_t nodes = 1;                  ///< >= 1
  std::int64_t accelerators_per_node = 1;  ///< >= 1
  BytesPerSecond intra_node_bw;            ///< of an accelerator inside its node, one way, > 0
  Accelerator accelerator;
  Fabric fabric;

  [[nodiscard]] std::int64_t total() const { return nodes * accelerators_per_node; }
  /// Throws Error(input) naming the first number outside its range: for clusters made in C++;
  /// those read from files are checked when read.
  void check() const;
};

/// Each reads what stands under `key`: a catalogue name, a table, or an entry with changes.
[[nodiscard]] Accelerator read_accelerator(TableReader& reader, std::string_view key);
[[nodiscard]] Fabric read_fabric(TableReader& reader, std::string_view key);
/// A fleet: either its own accelerator, accelerators_per_node and intra_node_bw, or a `node`.
[[nodiscard]] Cluster read_cluster(TableReader& reader, std::string_view key = "fleet");

}  // namespace lockstep
