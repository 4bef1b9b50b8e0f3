// SPDX-License-Identifier: Apache-2.0
// Kind "data-parallel-scale-out": a data-parallel job on nodes, from a one-device profile.
#include "lockstep/sim/lower/data_parallel_scale_out.hpp"

#include <fmt/format.h>

#include "lockstep/analytic/formulas/data_parallel_scale_out.hpp"
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"
#include "lockstep/platforms/quantity_text.hpp"
#include "lockstep/sim/kinds/simulation_table.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {
namespace {

class ScaleOutScenario : public Scenario {
 public:
  DataParallelScaleOutSpec spec;
  ScaleOutRun run;

  std::string_view kind() const override { return "data-parallel-scale-out"; }
  Prediction predict() const override { return predict_data_parallel_scale_out(spec); }
  double tasks() const override { return task_count(spec, run); }
  Job lower() const override {
    ScaleOutRun chosen = run;
    if (run.fidelity == Fidelity::formula) {
      const Prediction prediction = predict();
      chosen.intra_closed_form = prediction.terms[1].value;
      chosen.inter_closed_form = prediction.terms[2].value;
    }
    return lower_data_parallel_scale_out(spec, chosen);
  }
  std::vector<Figure> expected() const override {
    const Prediction prediction = predict();
    return {{"makespan_s", prediction.total().si()},
            {"communication_time_s", (prediction.terms[1].value + prediction.terms[2].value).si()}};
  }
  std::vector<Figure> measured(const Job& job, const TaskTimes& times) const override {
    const RunFigures figures = run_figures(job, times);
    return {{"makespan_s", figures.makespan},
            {"communication_time_s", figures.makespan - figures.last_compute, figures.makespan}};
  }
  std::vector<Broken> broken() const override {
    const bool slower_inside =
        spec.nodes > 1 && spec.devices_per_node > 1 && *spec.inter_bandwidth > spec.intra_bandwidth;
    if (!slower_inside) return {};
    return {
        {Assumption::layered_rings,
         fmt::format("links between nodes ({}) are faster than those inside ({})",
                     quantity_text(*spec.inter_bandwidth), quantity_text(spec.intra_bandwidth))}};
  }
  std::unique_ptr<Scenario> repaired(Assumption assumption) const override {
    if (assumption != Assumption::layered_rings) return nullptr;
    auto copy = std::make_unique<ScaleOutScenario>(*this);
    copy->spec.inter_bandwidth = spec.intra_bandwidth;
    return copy;
  }
};

std::unique_ptr<Scenario> read(TableReader& reader) {
  auto scenario = std::make_unique<ScaleOutScenario>();
  scenario->spec = read_data_parallel_scale_out(reader);
  scenario->run.algorithm = find_collective("all-reduce", "ring");
  read_simulation(
      reader, [&](TableReader& simulation) { scenario->run.fidelity = read_fidelity(simulation); });
  return scenario;
}

}  // namespace

extern const KindInfo kind_data_parallel_scale_out;
const KindInfo kind_data_parallel_scale_out{
    .name = "data-parallel-scale-out",
    .summary = "a data-parallel job on nodes, from a one-device profile",
    .read = &read};

}  // namespace lockstep
