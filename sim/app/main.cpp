// SPDX-License-Identifier: Apache-2.0
// The program: wires the verbs, maps failures to exit codes. Nothing else exits.
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/output_file.hpp"
#include "lockstep/sim/app/commands.hpp"
#include "lockstep/sim/app/output.hpp"
#include "lockstep/sim/engine/engine.hpp"

namespace lockstep::app {

bool errors_as_json = false;

void add_common(CLI::App& verb, CommonOptions& options, bool runs) {
  verb.add_option("files", options.files, "scenario files: .toml, .json, or - for JSON on stdin")
      ->required();
  verb.add_option("--set", options.settings, "change a key: dotted.key=value")
      ->allow_extra_args(false);
  verb.add_flag("--json", options.json, "print JSON documents");
  if (runs)
    verb.add_option("--max-tasks", options.task_limit,
                    "most operations and messages to simulate (default 4194304)")
        ->check(CLI::PositiveNumber);
}

namespace {

extern "C" void interrupted(int) {
  remove_unfinished_outputs();
  _exit(130);
}

std::string version_text() {
  return fmt::format("lockstep {}\nSimGrid {}\ncompiler {}", LOCKSTEP_VERSION, engine_version(),
                     __VERSION__);
}

int run(int argc, char** argv) {
  CLI::App program{"Predicts and explains one optimizer step of distributed training"};
  program.name("lockstep");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  int verbosity = 0;
  bool quiet = false;
  program.add_flag("-v,--verbose", verbosity, "say more on standard error");
  program.add_flag("-q,--quiet", quiet, "say nothing but errors on standard error");
  Action chosen;
  add_predict(program, chosen);
  add_simulate(program, chosen);
  add_validate(program, chosen);
  add_list(program, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& problem) {
    throw Error(ErrorKind::input, problem.what(), "command line", "lockstep --help");
  }
  spdlog::set_level(quiet           ? spdlog::level::err
                    : verbosity > 0 ? spdlog::level::info
                                    : spdlog::level::warn);
  return chosen();
}

int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    print_error(error, errors_as_json);
    return exit_code_of(error.kind());
  } catch (const std::bad_alloc&) {
    print_error(
        Error(ErrorKind::simulation, "ran out of memory", "", "a smaller scenario, or --max-tasks"),
        errors_as_json);
    return exit_code_of(ErrorKind::simulation);
  } catch (const std::exception& bug) {
    print_error(Error(ErrorKind::internal, bug.what(), "",
                      "this is a bug of lockstep; please report it with the input"),
                errors_as_json);
    return exit_code_of(ErrorKind::internal);
  }
}

}  // namespace
}  // namespace lockstep::app

int main(int argc, char** argv) {
  using namespace lockstep::app;
  std::signal(SIGINT, &interrupted);
  std::signal(SIGTERM, &interrupted);
  std::signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--json") errors_as_json = true;
  spdlog::set_default_logger(spdlog::stderr_logger_st("lockstep"));
  spdlog::set_pattern("lockstep: %v");
  return guarded_run(argc, argv);
}
