// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/kinds/simulation_table.hpp"

#include <fmt/format.h>

namespace lockstep {

void read_simulation(TableReader& scenario, const std::function<void(TableReader&)>& read) {
  static const Table none;
  const Value* value = scenario.raw("simulation");
  const Table* table = value == nullptr ? &none : value->table();
  if (table == nullptr) {
    scenario.problem("simulation",
                     fmt::format("simulation is {}, not a table", value->type_name()));
    return;
  }
  TableReader reader(*table, value == nullptr ? scenario.where() : value->where,
                     scenario.problems());
  read(reader);
  reader.finish();
  scenario.echo("simulation", Value(reader.resolved()));
}

Fidelity read_fidelity(TableReader& simulation) {
  return fidelity_named(simulation.choice("fidelity", fidelity_names(), "flows"));
}

}  // namespace lockstep
