// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lockstep/platforms/catalogue.hpp"
#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

// Keys of catalogue entries and of golden inputs that describe, and price nothing.
constexpr const char* labels[] = {"ref",         "source",       "provenance",
                                  "topology",    "release_year", "training_relevant",
                                  "description", "nics_per_node"};

void skip_labels(TableReader& reader) {
  for (const char* label : labels)
    if (const Value* given = reader.raw(label); given != nullptr && given->table() == nullptr)
      reader.echo(label, *given);
}

std::optional<HardwareLink> read_link(TableReader& parent, std::string_view key) {
  const Value* value = parent.raw(key);
  if (value == nullptr) return std::nullopt;
  if (value->table() == nullptr) {
    parent.problem(key, fmt::format("{} is {}, not a table", key, value->type_name()));
    return std::nullopt;
  }
  static const std::vector<std::string> directions = {"per_direction", "bidirectional_total"};
  TableReader reader(*value->table(), value->where, parent.problems());
  HardwareLink link;
  link.name = reader.text("name", std::string(key));
  link.bandwidth = reader.quantity<BytesPerSecond>("bandwidth", positive);
  link.bidirectional_total =
      reader.choice("direction", directions, "per_direction") == "bidirectional_total";
  link.latency = reader.optional_quantity<Seconds>("latency", non_negative);
  const auto stated = reader.optional_quantity<BytesPerSecond>("bandwidth_per_direction", positive);
  if (stated && std::abs(stated->si() / link.per_direction().si() - 1.0) > 1e-9)
    reader.problem("bandwidth_per_direction",
                   fmt::format("bandwidth_per_direction is {} B/s; bandwidth and direction give {}",
                               stated->si(), link.per_direction().si()),
                   "leave it out: it is derived");
  skip_labels(reader);
  reader.finish();
  parent.echo(key, Value(reader.resolved()));
  return link;
}

// "precision_flops" holds texts, "precision_flops_per_s" bare numbers; the keys are free.
void read_precision_rates(TableReader& parent, Accelerator& accelerator) {
  Table echoed;
  for (const char* key : {"precision_flops", "precision_flops_per_s"}) {
    const Value* value = parent.raw(key);
    if (value == nullptr) continue;
    const Table* rates = value->table();
    if (rates == nullptr) {
      parent.problem(key, fmt::format("{} is {}, not a table", key, value->type_name()));
      continue;
    }
    TableReader reader(*rates, value->where, parent.problems());
    for (const Table::Entry& entry : rates->entries()) {
      if (entry.value.is_null()) continue;
      const bool bare = std::string_view(key).ends_with("_per_s");
      const double rate = bare ? reader.number(entry.key, positive)
                               : reader.quantity<FlopsPerSecond>(entry.key, positive).si();
      accelerator.precision_flops.emplace_back(entry.key, FlopsPerSecond(rate));
      echoed.set(entry.key, rate);
    }
  }
  if (!echoed.empty()) parent.echo("precision_flops_per_s", Value(std::move(echoed)));
}

const std::vector<std::vector<std::string_view>> complete_accelerator = {
    {"peak", "peak_flops_per_s"},
    {"memory_capacity", "memory_capacity_bytes"},
    {"memory_bandwidth", "memory_bandwidth_bytes_per_s"}};
const std::vector<std::vector<std::string_view>> complete_fabric = {
    {"bandwidth", "bandwidth_bytes_per_s"}};
const std::vector<std::vector<std::string_view>> complete_fleet = {
    {"nodes"},
    {"accelerators_per_node"},
    {"intra_node_bw", "intra_node_bw_bytes_per_s"},
    {"accelerator"},
    {"fabric"}};
const std::vector<std::vector<std::string_view>> complete_node = {
    {"accelerator"}, {"accelerators_per_node"}, {"intra_node_bw", "intra_node_bw_bytes_per_s"}};

// What a fleet does not say itself comes from its node.
Table with_node(const Table& fleet, TableReader& fleet_reader) {
  Table merged = fleet;
  const Table node =
      resolve_entry(fleet_reader, "node", CatalogueSection::nodes, complete_node).table;
  for (const std::vector<std::string_view>& forms : complete_node) {
    const auto given = [&](std::string_view key) { return fleet_reader.has(key); };
    if (std::any_of(forms.begin(), forms.end(), given)) continue;
    for (const std::string_view key : forms)
      if (const Value* value = node.find(key)) merged.set(key, *value);
  }
  merged.erase("node");
  return merged;
}

}  // namespace

std::optional<FlopsPerSecond> Accelerator::rate_at(std::string_view precision) const {
  for (const auto& [listed, rate] : precision_flops)
    if (listed == precision) return rate;
  return std::nullopt;
}

void Cluster::check() const {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::input, fmt::format("cluster {}: {}", name, what));
  };
  const auto rate = [](double value) { return std::isfinite(value) && value > 0.0; };
  require(nodes >= 1, "nodes must be at least 1");
  require(accelerators_per_node >= 1, "accelerators_per_node must be at least 1");
  require(rate(intra_node_bw.si()), "intra_node_bw must be above 0");
  require(rate(fabric.bandwidth.si()), "the fabric's bandwidth must be above 0");
  require(rate(fabric.oversubscription_ratio), "the oversubscription ratio must be above 0");
  require(rate(accelerator.peak.si()), "the accelerator's peak must be above 0");
  require(rate(accelerator.memory_capacity.si()), "the memory capacity must be above 0");
  require(rate(accelerator.memory_bandwidth.si()), "the memory bandwidth must be above 0");
  require(accelerator.dispatch_tax.si() >= 0.0, "the dispatch tax must be at least 0");
}

Accelerator read_accelerator(TableReader& parent, std::string_view key) {
  const CatalogueEntry entry =
      resolve_entry(parent, key, CatalogueSection::accelerators, complete_accelerator);
  Accelerator accelerator;
  if (entry.table.empty()) return accelerator;
  TableReader reader(entry.table, entry.where, parent.problems());
  accelerator.name = reader.text("name", "accelerator");
  accelerator.peak = reader.quantity<FlopsPerSecond>("peak", positive);
  read_precision_rates(reader, accelerator);
  accelerator.memory_capacity = reader.quantity<Bytes>("memory_capacity", positive);
  accelerator.memory_bandwidth = reader.quantity<BytesPerSecond>("memory_bandwidth", positive);
  accelerator.sram_capacity = reader.optional_quantity<Bytes>("sram_capacity", positive);
  accelerator.sram_bandwidth = reader.optional_quantity<BytesPerSecond>("sram_bandwidth", positive);
  accelerator.flash_bandwidth =
      reader.optional_quantity<BytesPerSecond>("flash_bandwidth", positive);
  accelerator.host_link = read_link(reader, "host_link");
  accelerator.device_link = read_link(reader, "device_link");
  accelerator.tdp = reader.optional_quantity<Watts>("tdp", non_negative);
  accelerator.dispatch_tax =
      reader.quantity<Seconds>("dispatch_tax", non_negative, accelerator.dispatch_tax);
  static_cast<void>(reader.optional_quantity<Usd>("unit_cost", non_negative));
  skip_labels(reader);
  reader.finish();
  parent.echo(key, Value(reader.resolved()));
  return accelerator;
}

Fabric read_fabric(TableReader& parent, std::string_view key) {
  const CatalogueEntry entry =
      resolve_entry(parent, key, CatalogueSection::fabrics, complete_fabric);
  Fabric fabric;
  if (entry.table.empty()) return fabric;
  TableReader reader(entry.table, entry.where, parent.problems());
  fabric.name = reader.text("name", "fabric");
  fabric.bandwidth = reader.quantity<BytesPerSecond>("bandwidth", positive);
  fabric.latency = reader.optional_quantity<Seconds>("latency", non_negative);
  fabric.oversubscription_ratio = reader.number("oversubscription_ratio", positive, 1.0);
  skip_labels(reader);
  reader.finish();
  parent.echo(key, Value(reader.resolved()));
  return fabric;
}

Cluster read_cluster(TableReader& parent, std::string_view key) {
  constexpr std::int64_t most_nodes = 10'000'000;
  const CatalogueEntry entry = resolve_entry(parent, key, CatalogueSection::fleets, complete_fleet);
  Cluster cluster;
  if (entry.table.empty()) return cluster;
  TableReader node_reader(entry.table, entry.where, parent.problems());
  const Table table = node_reader.has("node") ? with_node(entry.table, node_reader) : entry.table;
  TableReader reader(table, entry.where, parent.problems());
  cluster.name = reader.text("name", "fleet");
  cluster.nodes = reader.count("nodes", {}, 1, most_nodes);
  cluster.accelerators_per_node = reader.count("accelerators_per_node", {}, 1, most_nodes);
  cluster.intra_node_bw = reader.quantity<BytesPerSecond>("intra_node_bw", positive);
  cluster.accelerator = read_accelerator(reader, "accelerator");
  cluster.fabric = read_fabric(reader, "fabric");
  const auto stated = reader.optional_count("total_accelerators");
  if (stated && *stated != cluster.total())
    reader.problem("total_accelerators",
                   fmt::format("total_accelerators is {}; nodes x accelerators_per_node is {}",
                               *stated, cluster.total()),
                   "leave it out: it is derived");
  skip_labels(reader);
  reader.finish();
  parent.echo(key, Value(reader.resolved()));
  return cluster;
}

}  // namespace lockstep
