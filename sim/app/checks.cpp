// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/app/checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace lockstep::app {
namespace {

// Documented as infinite where there is no traffic.
constexpr std::string_view may_be_infinite = "arithmetic_intensity";

void require_finite(const std::string& key, double value, const Scenario& scenario) {
  if (std::isfinite(value) || (std::isinf(value) && key.ends_with(may_be_infinite))) return;
  throw Error(ErrorKind::input,
              fmt::format("the inputs overflow: {} is {}", key,
                          std::isnan(value) ? "not a number" : "infinite"),
              scenario.where.empty() ? scenario.name : scenario.where,
              "each input is in its range, but not all of them together");
}

void require_finite(const std::string& key, const Value& value, const Scenario& scenario) {
  if (const double* real = value.real()) require_finite(key, *real, scenario);
  if (const Array* list = value.array())
    for (const Value& item : *list) require_finite(key, item, scenario);
  if (const Table* table = value.table())
    for (const Table::Entry& entry : table->entries())
      require_finite(key.empty() ? entry.key : key + "." + entry.key, entry.value, scenario);
}

}  // namespace

Error placed(const Error& error, const Scenario& scenario) {
  if (error.kind() == ErrorKind::internal || error.kind() == ErrorKind::io) return error;
  const std::string& place = scenario.where.empty() ? scenario.name : scenario.where;
  std::vector<Diagnostic> items = error.diagnostics();
  for (Diagnostic& item : items) item.where = place;
  return {error.kind(), std::move(items)};
}

void require_finite(const Table& figures, const Scenario& scenario) {
  for (const Table::Entry& entry : figures.entries())
    require_finite(entry.key, entry.value, scenario);
}

void require_finite(const Row& row, const Scenario& scenario) {
  require_finite(row.quantity + " by formula", row.formula, scenario);
  require_finite(row.quantity + " of the critical path", row.critical_path, scenario);
  require_finite(row.quantity + " by simulation", row.simulation, scenario);
  require_finite("the residual of " + row.quantity, row.residual, scenario);
  require_finite("the tolerance of " + row.quantity, row.tolerance, scenario);
  for (const Cost& cost : row.costs)
    require_finite(std::string("the cost of ") + std::string(name_of(cost.assumption)), cost.amount,
                   scenario);
}

Prediction checked_prediction(const Scenario& scenario) {
  return in_scenario(scenario, [&] {
    Prediction prediction = scenario.predict();
    require_finite(prediction.outputs, scenario);
    return prediction;
  });
}

void require_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;  // an output that is not there yet is no input
    if (std::filesystem::equivalent(output, input == "-" ? "/dev/stdin" : input, ignored))
      throw Error(ErrorKind::input, "is an input of this run and would be replaced", output,
                  "name another file");
  }
}

}  // namespace lockstep::app
