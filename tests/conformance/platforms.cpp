// SPDX-License-Identifier: Apache-2.0
// Every entry of the catalogue: it reads, says where its numbers come from, holds sensible
// quantities under keys that mean something, and names entries that exist.
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "lockstep/analytic/workload.hpp"
#include "lockstep/platforms/catalogue.hpp"
#include "lockstep/platforms/quantity_text.hpp"
#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Catalogue;
using lockstep::CatalogueSection;
using lockstep::Dimension;
using lockstep::Table;
using lockstep::Value;

/// Keys whose texts are quantities. A new key is added here with its dimension, or to the labels.
const std::map<std::string, Dimension, std::less<>> dimensions = {
    {"peak", Dimension::flop_rate},
    {"memory_capacity", Dimension::bytes},
    {"memory_bandwidth", Dimension::byte_rate},
    {"sram_capacity", Dimension::bytes},
    {"sram_bandwidth", Dimension::byte_rate},
    {"flash_capacity", Dimension::bytes},
    {"flash_bandwidth", Dimension::byte_rate},
    {"dispatch_tax", Dimension::time},
    {"tdp", Dimension::power},
    {"max_power", Dimension::power},
    {"unit_cost", Dimension::money},
    {"bandwidth", Dimension::byte_rate},
    {"intra_node_bw", Dimension::byte_rate},
    {"latency", Dimension::time},
    {"model_size", Dimension::bytes},
};
const std::set<std::string, std::less<>> labels = {
    "name", "kind", "topology", "architecture", "direction", "accelerator", "node", "fabric"};

/// Visits every value of an entry but those of its source.
template <class Visit>
void for_each_value(const Table& table, const std::string& above, Visit&& visit) {
  for (const Table::Entry& entry : table.entries()) {
    if (entry.key == "source") continue;
    if (const Table* inner = entry.value.table())
      for_each_value(*inner, entry.key, visit);
    else
      visit(above, entry.key, entry.value);
  }
}

void check_value(const std::string& above, const std::string& key, const Value& value) {
  INFO(value.where << ": " << key);
  if (value.flag() != nullptr) return;
  if (value.integer() != nullptr) {
    CHECK(*value.integer() > 0);
  } else if (value.real() != nullptr) {
    CHECK(std::isfinite(*value.real()));
    CHECK(*value.real() > 0.0);
  } else {
    REQUIRE(value.text() != nullptr);
    CHECK_FALSE(value.text()->empty());
    if (labels.contains(key)) return;
    const auto known = dimensions.find(key);
    REQUIRE((above == "precision_flops" || known != dimensions.end()));
    const auto parsed = lockstep::parse_quantity(
        *value.text(), above == "precision_flops" ? Dimension::flop_rate : known->second);
    CHECK(parsed.problem.empty());
    CHECK(parsed.si > 0.0);
    CHECK(std::isfinite(parsed.si));
  }
}

const Table& entry_of(Catalogue& catalogue, CatalogueSection section, const std::string& name) {
  const lockstep::Document* entry = catalogue.find(section, name);
  INFO(name);
  REQUIRE(entry != nullptr);
  return entry->root;
}

/// The entry that a key of an entry names.
void check_reference(Catalogue& catalogue, const Table& entry, std::string_view key,
                     CatalogueSection section) {
  INFO(key);
  const Value* named = entry.find(key);
  REQUIRE(named != nullptr);
  REQUIRE(named->text() != nullptr);
  CHECK(catalogue.find(section, *named->text()) != nullptr);
}

double si_at(const Table& entry, std::string_view key, Dimension dimension) {
  const Value* value = entry.find(key);
  INFO(key);
  REQUIRE(value != nullptr);
  REQUIRE(value->text() != nullptr);
  return lockstep::parse_quantity(*value->text(), dimension).si;
}

}  // namespace

TEST_CASE("catalogue entries read, have a source, and hold sensible numbers", "[platforms]") {
  Catalogue catalogue;
  for (const CatalogueSection section :
       {CatalogueSection::accelerators, CatalogueSection::nodes, CatalogueSection::fabrics,
        CatalogueSection::fleets, CatalogueSection::models})
    DYNAMIC_SECTION(lockstep::name_of(section)) {
      for (const std::string& name : catalogue.names(section)) {
        INFO(name);
        const Table& entry = entry_of(catalogue, section, name);
        const Value* title = entry.find("name");
        REQUIRE(title != nullptr);
        CHECK(title->text() != nullptr);
        const Value* source = entry.find("source");
        REQUIRE(source != nullptr);
        REQUIRE(source->table() != nullptr);
        const Value* reference = source->table()->find("reference");
        REQUIRE(reference != nullptr);
        REQUIRE(reference->text() != nullptr);
        CHECK(reference->text()->size() > 5);
        for_each_value(entry, "", check_value);
      }
    }
}

TEST_CASE("accelerators have what a scenario needs of them", "[platforms]") {
  Catalogue catalogue;
  for (const std::string& name : catalogue.names(CatalogueSection::accelerators)) {
    INFO(name);
    const Table& entry = entry_of(catalogue, CatalogueSection::accelerators, name);
    CHECK(si_at(entry, "peak", Dimension::flop_rate) > 0.0);
    CHECK(si_at(entry, "memory_capacity", Dimension::bytes) > 0.0);
    CHECK(si_at(entry, "memory_bandwidth", Dimension::byte_rate) > 0.0);
    const Value* table = entry.find("precision_flops");
    REQUIRE(table != nullptr);
    CHECK(table->table() != nullptr);
    for (const char* link : {"host_link", "device_link"})
      if (const Value* given = entry.find(link)) {
        REQUIRE(given->table() != nullptr);
        CHECK(si_at(*given->table(), "bandwidth", Dimension::byte_rate) > 0.0);
        const Value* direction = given->table()->find("direction");
        REQUIRE(direction != nullptr);
        CHECK(
            (*direction->text() == "per_direction" || *direction->text() == "bidirectional_total"));
      }
  }
}

TEST_CASE("nodes name an accelerator, fleets a node and a fabric", "[platforms]") {
  Catalogue catalogue;
  for (const std::string& name : catalogue.names(CatalogueSection::nodes)) {
    INFO(name);
    const Table& entry = entry_of(catalogue, CatalogueSection::nodes, name);
    check_reference(catalogue, entry, "accelerator", CatalogueSection::accelerators);
    CHECK(si_at(entry, "intra_node_bw", Dimension::byte_rate) > 0.0);
    REQUIRE(entry.find("accelerators_per_node") != nullptr);
    CHECK(*entry.find("accelerators_per_node")->integer() >= 1);
  }
  for (const std::string& name : catalogue.names(CatalogueSection::fabrics)) {
    INFO(name);
    const Table& entry = entry_of(catalogue, CatalogueSection::fabrics, name);
    CHECK(si_at(entry, "bandwidth", Dimension::byte_rate) > 0.0);
  }
  for (const std::string& name : catalogue.names(CatalogueSection::fleets)) {
    INFO(name);
    const Table& entry = entry_of(catalogue, CatalogueSection::fleets, name);
    check_reference(catalogue, entry, "node", CatalogueSection::nodes);
    check_reference(catalogue, entry, "fabric", CatalogueSection::fabrics);
    REQUIRE(entry.find("nodes") != nullptr);
    CHECK(*entry.find("nodes")->integer() >= 1);
  }
}

TEST_CASE("models are read as workloads", "[platforms]") {
  Catalogue catalogue;
  int read = 0;
  for (const std::string& name : catalogue.names(CatalogueSection::models)) {
    INFO(name);
    Table scenario;
    scenario.set("workload", name);
    lockstep::Diagnostics problems;
    lockstep::TableReader reader(scenario, "conformance", problems);
    const lockstep::Workload workload = lockstep::read_workload(reader);
    CHECK_NOTHROW(problems.throw_if_any());
    CHECK((workload.parameters.has_value() || workload.model_size.has_value()));
    CHECK(size_at(workload, "fp16").si() > 0.0);
    if (workload.active_parameters)
      CHECK(*workload.active_parameters <= workload.parameters.value_or(0.0));
    if (workload.parameters) CHECK(workload.parameters_raw_magnitude > 0.0);
    ++read;
  }
  CHECK(read >= 30);
}
