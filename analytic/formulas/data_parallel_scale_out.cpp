// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/data_parallel_scale_out.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"

namespace lockstep {

extern const FormulaInfo formula_data_parallel_scale_out;
const FormulaInfo formula_data_parallel_scale_out{
    .name = "data_parallel_scale_out",
    .statement = "T = s t1 + ring(G, g, Wi, 0) + ring(G, g k, Wx, 0)",
    .symbols = {{"s", "accumulation steps, >= 1"},
                {"t1", "one local step of one device, s, > 0"},
                {"G", "gradient bytes"},
                {"g", "devices a node, >= 1"},
                {"k", "nodes, >= 1; the second ring only when k > 1"},
                {"Wi, Wx", "rates inside and between nodes, byte/s, > 0"}},
    .assumptions = {Assumption::layered_rings, Assumption::private_links,
                    Assumption::uniform_devices, Assumption::no_jitter},
    .source = "mlsysim 0.3.0, DataParallelScaleOutScenario"};

namespace {

struct Communication {
  double intra_bytes = 0.0;
  double inter_bytes = 0.0;
  Seconds intra_time;
  Seconds inter_time;
};

Communication communication_of(const DataParallelScaleOutSpec& spec, Bytes gradient) {
  Communication part;
  part.intra_bytes = gradient.si() * ring_data_factor(spec.devices_per_node);
  part.intra_time =
      ring_all_reduce(gradient, spec.devices_per_node, spec.intra_bandwidth, Seconds(0.0));
  if (spec.nodes > 1) {
    if (!spec.inter_bandwidth)
      throw Error(ErrorKind::input, "inter_bandwidth is missing, and nodes is above 1");
    part.inter_bytes = gradient.si() * ring_data_factor(spec.devices());
    part.inter_time =
        ring_all_reduce(gradient, spec.devices(), *spec.inter_bandwidth, Seconds(0.0));
  }
  return part;
}

}  // namespace

Prediction predict_data_parallel_scale_out(const DataParallelScaleOutSpec& spec) {
  guard_at_least("devices_per_node", spec.devices_per_node, 1);
  guard_at_least("nodes", spec.nodes, 1);
  guard_at_least("accumulation_steps", spec.accumulation_steps, 1);
  guard_positive("step_time", spec.step_time.si());
  const auto n = static_cast<double>(spec.devices());
  const Bytes gradient = size_at(spec.workload, spec.precision);
  const Communication part = communication_of(spec, gradient);
  const Seconds communication = part.intra_time + part.inter_time;
  const Seconds compute = static_cast<double>(spec.accumulation_steps) * spec.step_time;
  const Seconds update = compute + communication;
  const double speedup = n * (compute / update);
  const Seconds training = spec.training_time / speedup;

  Prediction prediction;
  prediction.formula = "data_parallel_scale_out";
  prediction.assumptions = formula_data_parallel_scale_out.assumptions;
  prediction.terms = {{"compute", compute},
                      {"intra-node all-reduce", part.intra_time},
                      {"inter-node all-reduce", part.inter_time}};
  Table& out = prediction.outputs;
  out.set("n_devices", spec.devices());
  out.set("gradient_bytes", gradient.si());
  out.set("intra_bytes", part.intra_bytes);
  out.set("inter_bytes", part.inter_bytes);
  out.set("intra_time_s", part.intra_time.si());
  out.set("inter_time_s", part.inter_time.si());
  out.set("communication_time_s", communication.si());
  out.set("compute_time_s", compute.si());
  out.set("update_time_s", update.si());
  out.set("communication_overhead", double(communication / compute));
  out.set("compute_share", double(compute / update));
  out.set("communication_share", double(communication / update));
  out.set("speedup", speedup);
  out.set("efficiency", speedup / n);
  out.set("global_batch", static_cast<double>(spec.per_device_batch) * n *
                              static_cast<double>(spec.accumulation_steps));
  out.set("training_time_s", training.si());
  if (spec.node_hour_rate)
    out.set("cost_usd", (training * static_cast<double>(spec.nodes) * *spec.node_hour_rate).si());
  return prediction;
}

}  // namespace lockstep
