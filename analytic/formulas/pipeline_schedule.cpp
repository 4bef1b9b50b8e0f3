// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/pipeline_schedule.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/pipeline_bubble.hpp"

namespace lockstep {

extern const FormulaInfo formula_pipeline_schedule;
const FormulaInfo formula_pipeline_schedule{
    .name = "pipeline_schedule",
    .statement = "slots = 2(m+p-1), idle = 2(p-1), m(b) = (p-1)(1-b)/b",
    .symbols = {{"p", "pipeline stages, >= 1"},
                {"m", "microbatches a step, >= 1"},
                {"b", "a bubble to reach, in (0, 1]"}},
    .assumptions = {Assumption::equal_stages, Assumption::free_pipeline_transfers,
                    Assumption::noninterleaved},
    .source = "Huang et al. 2018 (arXiv:1811.06965), section 2.3; Narayanan et al., SC'21"};

Prediction predict_pipeline_schedule(const PipelineScheduleSpec& spec, Seconds mean_chunk_time) {
  const std::int64_t p = spec.stages;
  const std::int64_t m = spec.microbatches;
  const std::int64_t v = spec.virtual_stages;
  Prediction prediction;
  prediction.formula = "pipeline_schedule";
  prediction.assumptions = {
      Assumption::equal_stages, Assumption::free_pipeline_transfers,
      v == 1 ? Assumption::noninterleaved : Assumption::microbatches_divide_stages};
  const double bubble = pipeline_bubble(p, m, v);
  const Seconds makespan = pipeline_makespan(p, m, v, mean_chunk_time);
  const Seconds busy = static_cast<double>(v) * static_cast<double>(m) * mean_chunk_time;
  prediction.terms = {{"busy", busy}, {"bubble", makespan - busy}};

  Table& out = prediction.outputs;
  if (v == 1) {
    out.set("slots", 2 * (m + p - 1));
    out.set("idle_slots", 2 * (p - 1));
    out.set("fill_slots", p - 1);
    out.set("phase_slots", m + p - 1);
  }
  out.set("bubble", bubble);
  out.set("makespan_s", makespan.si());
  if (!spec.targets.empty()) {
    Array counts;
    for (const double target : spec.targets)
      counts.emplace_back((static_cast<double>(p) - 1.0) * (1.0 - target) / target /
                          static_cast<double>(v));
    out.set("microbatches_for_bubble", Value(std::move(counts)));
  }
  return prediction;
}

}  // namespace lockstep
