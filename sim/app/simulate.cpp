// SPDX-License-Identifier: Apache-2.0
// lockstep simulate: the discrete-event run of one scenario, and its timeline as a trace file.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>

#include "lockstep/platforms/output_file.hpp"
#include "lockstep/platforms/printable.hpp"
#include "lockstep/platforms/quantity_text.hpp"
#include "lockstep/sim/app/checks.hpp"
#include "lockstep/sim/app/commands.hpp"
#include "lockstep/sim/app/output.hpp"
#include "lockstep/sim/app/table.hpp"
#include "lockstep/sim/app/trace.hpp"
#include "lockstep/sim/engine/engine.hpp"
#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/sim/timeline_of.hpp"
#include "lockstep/traces/metrics.hpp"

namespace lockstep::app {
namespace {

struct SimulateOptions : CommonOptions {
  std::string trace;
};

struct Run {
  double makespan = 0.0;
  double critical_path = 0.0;
  std::int64_t operations = 0;
  std::int64_t messages = 0;
  Timeline timeline;
};

Run run(const Scenario& scenario) {
  Run result;
  Job job = scenario.lower();
  spdlog::info("{} operations, {} messages, {} tasks in the graph", job.operations, job.messages,
               job.graph.size());
  result.critical_path = critical_path(job.graph, job.network).last_end();
  const TaskTimes times = simulate(job.graph, job.network);
  result.makespan = times.last_end();
  simulated_time = result.makespan;
  spdlog::info("the last task has ended");
  result.operations = job.operations;
  result.messages = job.messages;
  result.timeline = timeline_of(job, times);
  result.timeline.check();
  return result;
}

Table figures_of(const Run& run, const std::vector<DeviceFigures>& devices) {
  Array rows;
  for (const DeviceFigures& device : devices) {
    Table row;
    row.set("name", device.name);
    row.set("busy_s", device.busy_s);
    row.set("idle_s", device.idle_s);
    row.set("peak_live_microbatches", device.peak_live_microbatches);
    rows.emplace_back(std::move(row));
  }
  Table simulation;
  simulation.set("makespan_s", run.makespan);
  simulation.set("critical_path_s", run.critical_path);
  simulation.set("bubble", bubble_of(devices, run.makespan));
  simulation.set("tasks", run.operations);
  simulation.set("messages", run.messages);
  simulation.set("devices", Value(std::move(rows)));
  return simulation;
}

std::string document_of(const Scenario& scenario, Table simulation) {
  Table document = begin_document(scenario);
  document.set("simulation", Value(std::move(simulation)));
  document.set("warnings", Value(Array{}));
  return to_json(Value(std::move(document))) + "\n";
}

std::string text_of(const Scenario& scenario, const Run& run,
                    const std::vector<DeviceFigures>& devices) {
  constexpr std::size_t most_rows = 64;
  TextTable table({"device", "busy", "idle", "peak live"}, {false, true, true, true});
  for (std::size_t i = 0; i < devices.size() && i < most_rows; ++i)
    table.add({devices[i].name, quantity_text(Seconds(devices[i].busy_s), 6),
               quantity_text(Seconds(devices[i].idle_s), 6),
               fmt::format("{}", devices[i].peak_live_microbatches)});
  std::string text = fmt::format("{}\n{}", printable(scenario.name), table.plain());
  if (devices.size() > most_rows)
    text += fmt::format("... and {} more devices\n", devices.size() - most_rows);
  text += fmt::format("step {}, critical path {}, idle share {:.4f}; {} operations, {} messages\n",
                      quantity_text(Seconds(run.makespan), 6),
                      quantity_text(Seconds(run.critical_path), 6),
                      bubble_of(devices, run.makespan), run.operations, run.messages);
  return text;
}

// Ranks that only communicate are drawn, but are no devices of the step; without any computation
// (a collective alone) all stay.
void keep_computing(std::vector<DeviceFigures>& devices) {
  const auto computes = [](const DeviceFigures& device) { return device.computes; };
  if (std::any_of(devices.begin(), devices.end(), computes))
    std::erase_if(devices, std::not_fn(computes));
}

int simulate_file(const SimulateOptions& options) {
  const auto scenario = read_scenario_file(options.files.front(), options.settings);
  require_runnable(*scenario, static_cast<double>(options.task_limit));
  std::optional<TraceFile> trace;
  if (!options.trace.empty()) {
    require_no_input(options.trace, options.files);
    trace.emplace(options.trace);
  }
  const Run result = in_scenario(*scenario, [&] { return run(*scenario); });
  std::vector<DeviceFigures> devices = device_figures(result.timeline, result.makespan);
  keep_computing(devices);
  Table figures = figures_of(result, devices);
  require_finite(figures, *scenario);
  if (trace) in_scenario(*scenario, [&] { trace->write(result.timeline, *scenario); });
  print(options.json ? document_of(*scenario, std::move(figures))
                     : text_of(*scenario, result, devices));
  if (trace && !options.json) print(fmt::format("trace: {}\n", printable(options.trace)));
  return 0;
}

}  // namespace

void add_simulate(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb = program.add_subcommand("simulate", "run one scenario, event by event");
  add_common(*verb, *options, true);
  verb->get_option("files")->expected(1);
  require_name(*verb->add_option("--trace", options->trace,
                                 "write the timeline to this file (.json, or .json.gz)"));
  verb->footer("Example: lockstep simulate examples/1f1b-unequal-stages.toml --trace step.json.gz");
  verb->callback([options, &chosen] { chosen = [options] { return simulate_file(*options); }; });
}

}  // namespace lockstep::app
