// SPDX-License-Identifier: Apache-2.0
// Uses the installed library as a stranger would: a scenario, its closed form, its run.
#include <cmath>
#include <cstdio>

#include "lockstep/platforms/catalogue.hpp"
#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/scenario_file.hpp"

int main() {
  const auto document = lockstep::parse_toml(
      "kind = \"pipeline-schedule\"\nstages = 4\nmicrobatches = 8\n"
      "[simulation]\nschedule = \"1f1b\"\nforward = \"1 s\"\nbackward = \"2 s\"\n",
      "inline");
  const auto scenario = lockstep::read_scenario(document, "inline");
  for (const lockstep::Row& row : lockstep::judge(*scenario)) {
    std::printf("%s: formula %g, simulation %g, %s\n", row.quantity.c_str(), row.formula,
                row.simulation, lockstep::name_of(row.verdict));
    if (row.verdict != lockstep::Verdict::equal) return 1;
    if (row.quantity == "makespan_s" && std::abs(row.simulation - 33.0) > 1e-9) return 1;
  }
  const auto models = lockstep::Catalogue::shared().names(lockstep::CatalogueSection::models);
  std::printf("%zu models in the catalogue\n", models.size());
  return models.empty() ? 1 : 0;
}
