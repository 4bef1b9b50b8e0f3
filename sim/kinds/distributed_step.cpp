// SPDX-License-Identifier: Apache-2.0
// Kind "distributed-step": the distributed solver itself.
#include "lockstep/analytic/specs/distributed_step.hpp"

#include "lockstep/sim/kinds/distributed_scenario.hpp"
#include "lockstep/sim/kinds/simulation_table.hpp"

namespace lockstep {
namespace {

std::unique_ptr<Scenario> read(TableReader& reader) {
  auto scenario = std::make_unique<DistributedScenario>();
  scenario->spec = read_distributed_step(reader);
  read_simulation(reader,
                  [&](TableReader& simulation) { scenario->fidelity = read_fidelity(simulation); });
  return scenario;
}

}  // namespace

extern const KindInfo kind_distributed_step;
const KindInfo kind_distributed_step{
    .name = "distributed-step",
    .summary = "compute, communication and bubble of a step on a fleet",
    .read = &read};

}  // namespace lockstep
