// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/pipeline_bubble.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"

namespace lockstep {

extern const FormulaInfo formula_pipeline_bubble;
const FormulaInfo formula_pipeline_bubble{
    .name = "pipeline_bubble",
    .statement = "bubble = (p-1) / (V m + p - 1);  T = (V m + p - 1) t",
    .symbols = {{"p", "pipeline stages, >= 1"},
                {"m", "microbatches a step, >= 1"},
                {"V", "virtual stages (chunks a device), >= 1"},
                {"t", "mean forward plus backward time of a chunk, s"}},
    .assumptions = {Assumption::equal_stages, Assumption::free_pipeline_transfers,
                    Assumption::microbatches_divide_stages},
    .source = "Narayanan et al., SC'21 (arXiv:2104.04473), sections 2.2.1 and 2.2.2"};

namespace {

void guard_shape(std::int64_t stages, std::int64_t microbatches, std::int64_t virtual_stages) {
  guard_at_least("stages", stages, 1);
  guard_at_least("microbatches", microbatches, 1);
  guard_at_least("virtual_stages", virtual_stages, 1);
}

// V m + p - 1, exact in a double for counts up to 1e9 and V up to 1e6.
double chunk_slots(std::int64_t stages, std::int64_t microbatches, std::int64_t virtual_stages) {
  return static_cast<double>(virtual_stages) * static_cast<double>(microbatches) +
         static_cast<double>(stages) - 1.0;
}

}  // namespace

double pipeline_bubble(std::int64_t stages, std::int64_t microbatches,
                       std::int64_t virtual_stages) {
  guard_shape(stages, microbatches, virtual_stages);
  return (static_cast<double>(stages) - 1.0) / chunk_slots(stages, microbatches, virtual_stages);
}

Seconds pipeline_makespan(std::int64_t stages, std::int64_t microbatches,
                          std::int64_t virtual_stages, Seconds mean_chunk_time) {
  guard_shape(stages, microbatches, virtual_stages);
  guard_non_negative("mean_chunk_time", mean_chunk_time.si());
  return chunk_slots(stages, microbatches, virtual_stages) * mean_chunk_time;
}

}  // namespace lockstep
