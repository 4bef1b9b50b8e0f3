// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/parallel_layout.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"
#include "lockstep/analytic/formulas/pipeline_bubble.hpp"
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"

namespace lockstep {

extern const FormulaInfo formula_parallel_layout;
const FormulaInfo formula_parallel_layout{
    .name = "parallel_layout",
    .statement = "T = C/(1-b) + A - min(o A, C),  C = round(f P D/(n peak e)),  A = 2 G/(t p W)",
    .symbols = {{"f P D", "operations of an update: per parameter and token, parameters, tokens"},
                {"n = t p d", "devices: tensor x pipeline x data, each >= 1"},
                {"e, o", "local efficiency in (0, 1], overlap share in [0, 1]"},
                {"G, W", "gradient bytes, link rate in byte/s"},
                {"b", "pipeline_bubble(p, m)"}},
    .assumptions = {Assumption::large_ring_factor, Assumption::fixed_overlap_share,
                    Assumption::rounded_window, Assumption::equal_stages,
                    Assumption::free_pipeline_transfers},
    .source = "mlsysim 0.3.0, ParallelLayoutScenario"};

namespace {

void add_state(const ParallelLayoutSpec& spec, Table& out) {
  constexpr double adam_bytes = 16.0;  // a parameter: 2 weights, 2 gradients, 12 optimizer
  const double p = *spec.workload.parameters;
  const auto model_parallel = static_cast<double>(spec.tp_size * spec.pp_size);
  const double total = adam_bytes * p;
  out.set("state_total_bytes", total);
  out.set("state_per_device_bytes", total / model_parallel);
  out.set(
      "zero1_state_per_device_bytes",
      4.0 * p / model_parallel + 12.0 * p / (model_parallel * static_cast<double>(spec.dp_size)));
  if (spec.device_memory)
    out.set("min_devices_for_state",
            static_cast<std::int64_t>(std::ceil(total / spec.device_memory->si())));
}

}  // namespace

Prediction predict_parallel_layout(const ParallelLayoutSpec& spec) {
  guard_at_least("tp_size", spec.tp_size, 1);
  guard_at_least("dp_size", spec.dp_size, 1);
  guard_at_least("pp_size", spec.pp_size, 1);
  guard_positive("local_efficiency", spec.local_efficiency);
  guard_in("local_efficiency", spec.local_efficiency, 0.0, 1.0);
  guard_in("overlap_fraction", spec.overlap_fraction, 0.0, 1.0);
  guard_non_negative("batch_tokens", spec.batch_tokens);
  guard_non_negative("flops_per_param_token", spec.flops_per_param_token);
  guard_positive("link_bandwidth", spec.link_bandwidth.si());
  if (!spec.workload.parameters)
    throw Error(ErrorKind::input, "a layout needs the workload's parameters");
  const Seconds compute = spec.window();
  const Bytes shard = spec.shard_bytes();
  const Seconds all_reduce = 2.0 * shard / spec.link_bandwidth;
  const Seconds hidden = std::min(all_reduce * spec.overlap_fraction, compute);
  const Seconds exposed = all_reduce - hidden;
  const double bubble = pipeline_bubble(spec.pp_size, spec.microbatches);
  const Seconds stretched = compute / (1.0 - bubble);
  const Seconds step = stretched + exposed;
  const double efficiency = compute / step;

  Prediction prediction;
  prediction.formula = "parallel_layout";
  prediction.assumptions = formula_parallel_layout.assumptions;
  prediction.warnings = spec.warnings();
  prediction.terms = {{"compute", compute},
                      {"pipeline bubble", stretched - compute},
                      {"exposed all-reduce", exposed}};
  Table& out = prediction.outputs;
  out.set("n_devices", spec.devices());
  out.set("step_flops", spec.step_flops());
  out.set("compute_time_s", compute.si());
  out.set("gradient_bytes", spec.gradient_bytes().si());
  out.set("dp_shard_bytes", shard.si());
  out.set("ring_bytes", ring_data_factor(spec.dp_size) * shard.si());
  out.set("allreduce_time_s", all_reduce.si());
  out.set("hidden_time_s", hidden.si());
  out.set("exposed_time_s", exposed.si());
  out.set("bubble", bubble);
  out.set("efficiency", efficiency);
  out.set("efficiency_no_overlap", double(compute / (stretched + all_reduce)));
  out.set("overlap_share", double(hidden / all_reduce));
  out.set("step_time_s", step.si());
  add_state(spec, out);
  out.set("fleet_mfu", spec.local_efficiency * efficiency);
  out.set("double_counted_mfu", spec.local_efficiency * efficiency * efficiency);
  return prediction;
}

}  // namespace lockstep
