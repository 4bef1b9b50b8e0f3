// SPDX-License-Identifier: Apache-2.0
// Kind "pipeline-schedule": a synchronous pipeline of stages fed microbatches.
#include "lockstep/sim/lower/pipeline_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/analytic/formulas/pipeline_schedule.hpp"
#include "lockstep/platforms/quantity_text.hpp"
#include "lockstep/sim/kinds/pipeline_run_file.hpp"
#include "lockstep/sim/kinds/simulation_table.hpp"
#include "lockstep/sim/scenario.hpp"

namespace lockstep {
namespace {

class PipelineScenario : public Scenario {
 public:
  PipelineScheduleSpec spec;
  PipelineRun run;

  std::string_view kind() const override { return "pipeline-schedule"; }
  Prediction predict() const override {
    return predict_pipeline_schedule(spec, Seconds(run.forward.mean() + run.backward.mean()));
  }
  double tasks() const override { return task_count(spec, run); }
  Job lower() const override { return lower_pipeline_schedule(spec, run); }
  std::vector<Figure> expected() const override {
    const Prediction prediction = predict();
    return {{"makespan_s", prediction.total().si()},
            {"bubble", std::get<double>(prediction.outputs.find("bubble")->data())}};
  }
  std::vector<Figure> measured(const Job& job, const TaskTimes& times) const override {
    const RunFigures figures = run_figures(job, times);
    return {{"makespan_s", figures.makespan}, {"bubble", figures.bubble, 1.0}};
  }
  std::vector<Broken> broken() const override {
    std::vector<Broken> list;
    if (!run.forward.all_equal() || !run.backward.all_equal())
      list.push_back({Assumption::equal_stages, slowest_stage()});
    if (run.transfer.largest() > 0.0 && spec.stages > 1)
      list.push_back(
          {Assumption::free_pipeline_transfers,
           fmt::format("a transfer takes {}{}", quantity_text(Seconds(run.transfer.largest())),
                       run.transfer.all_equal() ? "" : " at most")});
    if (spec.virtual_stages > 1 && spec.microbatches % spec.stages != 0)
      list.push_back(
          {Assumption::microbatches_divide_stages,
           fmt::format("{} stages do not divide {} microbatches", spec.stages, spec.microbatches)});
    else if (spec.virtual_stages > 1 && last_group() > 0 && last_group() < spec.stages)
      list.push_back({Assumption::microbatches_divide_stages,
                      fmt::format("the last group of {} microbatches does not fill {} stages",
                                  last_group(), spec.stages)});
    return list;
  }
  std::unique_ptr<Scenario> repaired(Assumption assumption) const override {
    auto copy = std::make_unique<PipelineScenario>(*this);
    PipelineRun& fixed = copy->run;
    switch (assumption) {
      case Assumption::equal_stages:
        fixed.forward = PerChunk(run.forward.mean());
        fixed.backward = PerChunk(run.backward.mean());
        return copy;
      case Assumption::free_pipeline_transfers:
        fixed.transfer = PerChunk(0.0);
        return copy;
      case Assumption::microbatches_divide_stages: {
        const std::int64_t over = spec.microbatches % spec.stages;
        if (over != 0) copy->spec.microbatches += spec.stages - over;
        fixed.group = 0;  // groups as deep as the pipeline
        return copy;
      }
      default:
        return nullptr;
    }
  }

 private:
  // Microbatches of the last group when it is not a whole one; 0: whole, or the only one.
  std::int64_t last_group() const {
    const std::int64_t group = run.group > 0 ? run.group : spec.stages;
    return spec.microbatches > group ? spec.microbatches % group : 0;
  }

  std::string slowest_stage() const {
    const std::size_t count = std::max(run.forward.values().size(), run.backward.values().size());
    std::vector<double> whole(count);
    for (std::size_t i = 0; i < count; ++i) whole[i] = run.forward[i] + run.backward[i];
    const PerChunk both(std::move(whole));
    return fmt::format("{} {} takes {:.4g} times the mean",
                       spec.virtual_stages == 1 ? "stage" : "chunk", both.index_of_largest(),
                       both.largest() / both.mean());
  }
};

std::unique_ptr<Scenario> read(TableReader& reader) {
  auto scenario = std::make_unique<PipelineScenario>();
  scenario->spec = read_pipeline_schedule(reader);
  read_simulation(reader, [&](TableReader& simulation) {
    scenario->run = read_pipeline_run(simulation, reader, scenario->spec);
    const PipelineRun& run = scenario->run;
    if (reader.problems().empty() && run.forward.largest() + run.backward.largest() == 0.0)
      simulation.problem("forward", "forward and backward both take no time",
                         "a step without computation has no bubble");
  });
  return scenario;
}

}  // namespace

extern const KindInfo kind_pipeline_schedule;
const KindInfo kind_pipeline_schedule{
    .name = "pipeline-schedule",
    .summary = "a synchronous pipeline of stages fed microbatches",
    .read = &read};

}  // namespace lockstep
