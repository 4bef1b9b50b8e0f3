// SPDX-License-Identifier: Apache-2.0
// What every verb checks around its own work: figures are finite, errors have a place, outputs are
// not inputs.
// Layer: sim/app.
#pragma once
#include <string>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/judge.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep::app {

/// The error with the scenario's file as its place. Whatever goes wrong once a scenario is read is
/// about all of it; bugs and output files keep their own places.
[[nodiscard]] Error placed(const Error& error, const Scenario& scenario);

/// Does work for a scenario; what it throws gets the scenario's place.
template <class Work>
auto in_scenario(const Scenario& scenario, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw placed(error, scenario);
  }
}

/// Throws Error(input) naming the first figure that is not a number, or infinite without being
/// documented so: then the inputs, each in its range, have overflowed together.
void require_finite(const Table& figures, const Scenario& scenario);
void require_finite(const Row& row, const Scenario& scenario);

/// The closed form, with its place and finite.
[[nodiscard]] Prediction checked_prediction(const Scenario& scenario);

/// Throws Error(input) when an output is one of the input files ("-": standard input), under
/// whatever name: it would be replaced.
void require_no_input(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace lockstep::app
