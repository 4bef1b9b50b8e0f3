// SPDX-License-Identifier: Apache-2.0
// Kind "parallel-layout": a tensor x pipeline x data layout.
#include "lockstep/sim/lower/parallel_layout.hpp"

#include "lockstep/analytic/formulas/parallel_layout.hpp"
#include "lockstep/sim/kinds/simulation_table.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {
namespace {

class LayoutScenario : public Scenario {
 public:
  ParallelLayoutSpec spec;

  std::string_view kind() const override { return "parallel-layout"; }
  Prediction predict() const override { return predict_parallel_layout(spec); }
  double tasks() const override { return task_count(spec); }
  Job lower() const override { return lower_parallel_layout(spec); }
  std::vector<Figure> expected() const override {
    const Prediction prediction = predict();
    return {{"makespan_s", prediction.total().si()},
            {"exposed_time_s", prediction.terms[2].value.si()}};
  }
  std::vector<Figure> measured(const Job& job, const TaskTimes& times) const override {
    const RunFigures figures = run_figures(job, times);
    return {{"makespan_s", figures.makespan},
            {"exposed_time_s", figures.makespan - figures.last_compute, figures.makespan}};
  }
  // The lowering makes each of the formula's terms an event, so no input breaks an assumption that
  // this run could see; what the terms themselves hide is the ladder's business.
  std::vector<Broken> broken() const override { return {}; }
  std::unique_ptr<Scenario> repaired(Assumption) const override { return nullptr; }
};

std::unique_ptr<Scenario> read(TableReader& reader) {
  auto scenario = std::make_unique<LayoutScenario>();
  scenario->spec = read_parallel_layout(reader);
  read_simulation(reader, [](TableReader&) {});
  return scenario;
}

}  // namespace

extern const KindInfo kind_parallel_layout;
const KindInfo kind_parallel_layout{
    .name = "parallel-layout", .summary = "a tensor x pipeline x data layout", .read = &read};

}  // namespace lockstep
