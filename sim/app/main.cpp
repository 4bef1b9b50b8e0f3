// SPDX-License-Identifier: Apache-2.0
// The program: wires the verbs, maps failures to exit codes. Nothing else exits.
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/output_file.hpp"
#include "lockstep/platforms/registry.hpp"
#include "lockstep/sim/app/commands.hpp"
#include "lockstep/sim/app/output.hpp"
#include "lockstep/sim/engine/engine.hpp"

namespace lockstep::app {

bool errors_as_json = false;
double simulated_time = 0.0;

void require_name(CLI::Option& option) {
  option.check([](const std::string& name) { return std::string(name.empty() ? "is empty" : ""); });
}

namespace {

// Tasks are numbered in 32 bits.
std::string task_limit_problem(const std::string& text) {
  constexpr std::size_t most_digits = 10;
  const bool whole = !text.empty() && text.size() <= most_digits &&
                     text.find_first_not_of("0123456789") == std::string::npos;
  const std::int64_t limit = whole ? std::stoll(text) : 0;
  if (limit >= 1 && limit <= std::numeric_limits<std::int32_t>::max()) return {};
  return text.substr(0, 40) + " is no whole number from 1 to 2147483647";
}

}  // namespace

void add_common(CLI::App& verb, CommonOptions& options, bool runs) {
  CLI::Option* files = verb.add_option("files", options.files,
                                       "scenario files: .toml, .json, or - for JSON on stdin")
                           ->required();
  require_name(*files);
  verb.add_option("--set", options.settings, "change a key: dotted.key=value")
      ->allow_extra_args(false);
  verb.add_flag("--json", options.json, "print JSON documents");
  if (runs)
    verb.add_option("--max-tasks", options.task_limit,
                    "most operations and messages to simulate (default 4194304)")
        ->check(&task_limit_problem);
}

namespace {

extern "C" void interrupted(int number) {
  remove_unfinished_outputs();
  _exit(number == SIGHUP ? 129 : 130);
}

// Signals that the caller has us ignore (nohup) stay ignored.
void end_cleanly_on(int number) {
  struct sigaction action {};
  if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = &interrupted;
  sigaction(number, &action, nullptr);
}

// A file opened later must not become standard output or error because that was closed. Results
// written to a closed standard output still fail: what is put there cannot be written.
void fill_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
}

class SimulatedTime : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg&, const std::tm&,
              spdlog::memory_buf_t& line) override {
    fmt::format_to(std::back_inserter(line), "{:.9g}", simulated_time);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<SimulatedTime>();
  }
};

void start_log() {
  spdlog::set_default_logger(spdlog::stderr_logger_st("lockstep"));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SimulatedTime>('*').set_pattern("[%* s] %v");
  spdlog::set_formatter(std::move(formatter));
}

std::string version_text() {
  return fmt::format("lockstep {}\nSimGrid {}\ncompiler {}", LOCKSTEP_VERSION, engine_version(),
                     __VERSION__);
}

Error wrong_command_line(std::string message, std::string hint = "lockstep --help") {
  return {ErrorKind::input, std::move(message), "command line", std::move(hint)};
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

Error unknown_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, std::min<std::size_t>(word.find('='), 60));
  return wrong_command_line(fmt::format("{} is no option of {}", name, app.get_name()),
                            known_names_hint(name, option_names(app)));
}

bool has_option(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = option_names(app);
  const std::string name = word.starts_with("--") ? word : word.substr(0, 2);  // "-vv" is "-v -v"
  return std::find(names.begin(), names.end(), name) != names.end();
}

// CLI11 only says that a subcommand is required. Options before the verb take no values.
void require_known_verb(const CLI::App& program, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  bool told = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with('-')) {
      if (!has_option(program, word)) throw unknown_option(program, word);
      told = told || word == "-h" || word == "--help" || word == "--version";
      continue;
    }
    if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
    throw wrong_command_line(fmt::format("{} is no verb", word.substr(0, 60)),
                             known_names_hint(word, verbs));
  }
  if (!told)
    throw wrong_command_line("no verb is given",
                             known_names_hint("", verbs) + "; see lockstep --help");
}

// The words after the program's name, last first, as CLI11 wants them. A file called "[a,b]" is not
// a list to it when it is called "./[a,b]".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) {
    const std::string_view word = argv[i];
    const bool like_a_list = word.starts_with('[') && word.ends_with(']');
    words.push_back((like_a_list ? "./" : "") + std::string(word));
  }
  return words;
}

// What is left over: an option that is not known, with the nearest that is, or one word too many.
Error left_over(const CLI::App& program) {
  std::vector<const CLI::App*> parsed = {&program};
  for (const CLI::App* verb : program.get_subcommands()) parsed.push_back(verb);
  for (const CLI::App* app : parsed)
    for (const std::string& word : app->remaining()) {
      if (!word.starts_with('-'))
        return wrong_command_line(fmt::format("{} is one argument too many", word.substr(0, 60)),
                                  fmt::format("{} takes no more files or topics", app->get_name()));
      return unknown_option(*app, word);
    }
  return wrong_command_line("holds more than it should");
}

int run(int argc, char** argv) {
  CLI::App program{"Predicts and explains one optimizer step of distributed training"};
  program.name("lockstep");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  int verbosity = 0;
  bool quiet = false;
  CLI::Option* verbose = program.add_flag("-v,--verbose", verbosity, "say more on standard error");
  program.add_flag("-q,--quiet", quiet, "say nothing but errors on standard error")
      ->excludes(verbose);
  Action chosen;
  add_predict(program, chosen);
  add_simulate(program, chosen);
  add_validate(program, chosen);
  add_list(program, chosen);
  try {
    require_known_verb(program, argc, argv);
    program.parse(words_of(argc, argv));
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    const int code = program.exit(success, text, text);
    print(text.str());
    return code;
  } catch (const CLI::ExtrasError&) {
    throw left_over(program);
  } catch (const CLI::ParseError& problem) {
    throw wrong_command_line(problem.what());
  }
  spdlog::set_level(quiet           ? spdlog::level::err
                    : verbosity > 0 ? spdlog::level::info
                                    : spdlog::level::warn);
  return chosen();
}

int report(const Error& error) {
  print_error(error, errors_as_json);
  return exit_code_of(error.kind());
}

int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report({ErrorKind::simulation, "ran out of memory", "",
                   "a smaller scenario, or a smaller --max-tasks"});
  } catch (const std::filesystem::filesystem_error& error) {
    return report({ErrorKind::io, error.code().message(), error.path1().string()});
  } catch (const std::exception& bug) {
    return report({ErrorKind::internal, bug.what(), "",
                   "this is a bug of lockstep; please report it with the input"});
  }
}

}  // namespace
}  // namespace lockstep::app

int main(int argc, char** argv) {
  using namespace lockstep::app;
  fill_standard_streams();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) end_cleanly_on(number);
  std::signal(SIGPIPE, SIG_IGN);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--json") errors_as_json = true;
  start_log();
  return guarded_run(argc, argv);
}
