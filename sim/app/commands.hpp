// SPDX-License-Identifier: Apache-2.0
// The verbs of the program: one file each, and one line in main.cpp.
// Layer: sim/app (everything; CLI11 only here).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/sim/lower/job.hpp"
#include "lockstep/sim/scenario.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockstep::app {

/// Options that several verbs share.
struct CommonOptions {
  std::vector<std::string> files;
  std::vector<std::string> settings;  ///< --set key=value
  bool json = false;
  std::int64_t task_limit = static_cast<std::int64_t>(default_task_limit);
};

/// What a verb does once the command line is read; returns the exit code.
using Action = std::function<int()>;

/// Adds a verb to the program; `chosen` is set to its action when the user named it.
void add_predict(CLI::App& program, Action& chosen);
void add_simulate(CLI::App& program, Action& chosen);
void add_validate(CLI::App& program, Action& chosen);
void add_list(CLI::App& program, Action& chosen);

/// True as soon as `--json` is anywhere on the command line: errors are then JSON too.
extern bool errors_as_json;

/// The time up to which the simulation has come, s: it stands before each line of the log.
extern double simulated_time;

/// Adds FILE..., --set, --json and, where things run, --max-tasks.
void add_common(CLI::App& verb, CommonOptions& options, bool runs);

/// Refuses an empty name of a file or folder.
void require_name(CLI::Option& option);

}  // namespace lockstep::app
