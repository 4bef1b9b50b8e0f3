// SPDX-License-Identifier: Apache-2.0
// lockstep predict: closed forms only.
#include <CLI/CLI.hpp>

#include "lockstep/platforms/printable.hpp"
#include "lockstep/sim/app/checks.hpp"
#include "lockstep/sim/app/commands.hpp"
#include "lockstep/sim/app/output.hpp"
#include "lockstep/sim/app/table.hpp"
#include "lockstep/sim/scenario_file.hpp"

namespace lockstep::app {
namespace {

std::string document_of(const Scenario& scenario, const Prediction& prediction) {
  Table document = begin_document(scenario);
  document.set("prediction", Value(prediction.outputs));
  Array names;
  for (const Assumption assumption : prediction.assumptions)
    names.emplace_back(name_of(assumption));
  document.set("assumptions", Value(std::move(names)));
  document.set("warnings", texts(prediction.warnings));
  return to_json(Value(std::move(document))) + "\n";
}

void add_outputs(TextTable& table, const Table& outputs, const std::string& prefix) {
  for (const Table::Entry& entry : outputs.entries()) {
    if (const Table* nested = entry.value.table())
      add_outputs(table, *nested, prefix + entry.key + ".");
    else
      table.add({prefix + shown_key(entry.key), shown(entry.key, entry.value)});
  }
}

std::string text_of(const Scenario& scenario, const Prediction& prediction) {
  TextTable table({scenario.name, ""}, {false, true});
  add_outputs(table, prediction.outputs, "  ");
  std::string text = table.plain();
  if (!prediction.assumptions.empty()) text += "assumes:\n";
  for (const Assumption assumption : prediction.assumptions)
    text += "  " + std::string(name_of(assumption)) + ": " + std::string(statement_of(assumption)) +
            "\n";
  for (const std::string& warning : prediction.warnings)
    text += "warning: " + printable(warning) + "\n";
  return text;
}

// All files are read and priced before anything is printed: a mistake in the last one leaves no
// half of an answer behind.
int predict(const CommonOptions& options) {
  std::vector<std::string> answers;
  for (const std::string& file : options.files) {
    const auto scenario = read_scenario_file(file, options.settings);
    const Prediction prediction = checked_prediction(*scenario);
    answers.push_back(options.json ? document_of(*scenario, prediction)
                                   : text_of(*scenario, prediction));
  }
  for (std::size_t i = 0; i < answers.size(); ++i)
    print(i > 0 && !options.json ? "\n" + answers[i] : answers[i]);
  return 0;
}

}  // namespace

void add_predict(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb = program.add_subcommand("predict", "price scenarios by closed forms alone");
  add_common(*verb, *options, false);
  verb->footer(
      "Example: lockstep predict examples/gpt2-data-parallel-four-nodes-10gbe.toml --set nodes=8");
  verb->callback([options, &chosen] { chosen = [options] { return predict(*options); }; });
}

}  // namespace lockstep::app
