// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/training_memory.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"
#include "lockstep/analytic/precision.hpp"

namespace lockstep {

extern const FormulaInfo formula_training_memory;
const FormulaInfo formula_training_memory{
    .name = "training_memory",
    .statement = "weights P b/(t p x) + gradients + optimizer 12 P/(t p x) + activations + buffers",
    .symbols = {{"P", "parameters, > 0"},
                {"b", "bytes of an element"},
                {"t, p, x", "tensor, pipeline and expert parallel sizes, >= 1"},
                {"s, h, a, L", "sequence, hidden size, heads, layers"}},
    .assumptions = {Assumption::equal_stages},
    .source = "Korthikanti et al. 2022 (arXiv:2205.05198), section 4; Rajbhandari et al. 2020"};

Bytes activation_memory(const ActivationShape& shape, Recompute recompute) {
  guard_at_least("layers", shape.layers, 1);
  const double sbh = shape.sequence * shape.microbatch * shape.hidden;
  double per_layer = 0.0;  // for 16-bit elements
  switch (recompute) {
    case Recompute::full:
      per_layer = 2.0 * sbh;
      break;
    case Recompute::selective:
      per_layer = 34.0 * sbh;
      break;
    case Recompute::none:
      per_layer =
          34.0 * sbh + 5.0 * shape.heads * shape.sequence * shape.sequence * shape.microbatch;
      break;
  }
  return Bytes(static_cast<double>(shape.layers) * per_layer * (shape.element_bytes / 2.0));
}

namespace {

double optimizer_bytes(const std::string& optimizer) {
  if (optimizer == "adam") return 12.0;  // fp32 master weights and two moments
  return optimizer == "sgd" ? 4.0 : 0.0;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

TrainingMemory training_memory(const TrainingMemorySpec& spec) {
  if (!spec.workload.parameters)
    throw Error(ErrorKind::input, "training memory needs the workload's parameters");
  guard_at_least("batch_size", spec.batch_size, 1);
  guard_at_least("seq_len", spec.seq_len, 1);
  guard_at_least("tp_size", spec.tp_size, 1);
  guard_at_least("pp_size", spec.pp_size, 1);
  guard_at_least("dp_size", spec.dp_size, 1);
  guard_at_least("ep_size", spec.ep_size, 1);
  guard_at_least("gradient_accumulation_steps", spec.gradient_accumulation_steps, 1);
  guard_in("zero_stage", static_cast<double>(spec.zero_stage), 0.0, 3.0);
  guard_in("trainable_fraction", spec.trainable_fraction, 0.0, 1.0);
  guard_in("communication_buffer_fraction", spec.communication_buffer_fraction, 0.0, 1.0);
  const double b = bytes_per_element(spec.precision).value_or(Bytes(2.0)).si();
  const auto d = static_cast<double>(spec.dp_size);
  const double held = *spec.workload.parameters /
                      (static_cast<double>(spec.tp_size) * static_cast<double>(spec.pp_size) *
                       static_cast<double>(spec.ep_size));
  TrainingMemory memory;
  memory.weights = Bytes(held * b);
  memory.gradients = Bytes(held * spec.trainable_fraction * b);
  memory.optimizer_state = Bytes(held * spec.trainable_fraction * optimizer_bytes(spec.optimizer));
  if (spec.zero_stage >= 1) memory.optimizer_state = memory.optimizer_state / d;
  if (spec.zero_stage >= 2) memory.gradients = memory.gradients / d;
  if (spec.zero_stage >= 3) memory.weights = memory.weights / d;

  ActivationShape shape;
  const double shares = d * static_cast<double>(spec.gradient_accumulation_steps);
  shape.microbatch = std::max(1.0, std::ceil(static_cast<double>(spec.batch_size) / shares));
  shape.layers =
      std::max<std::int64_t>(1, ceil_div(spec.workload.layers.value_or(0), spec.pp_size));
  shape.sequence = static_cast<double>(spec.seq_len);
  shape.hidden = static_cast<double>(spec.workload.hidden_dim.value_or(4096));
  shape.heads = static_cast<double>(spec.workload.heads.value_or(0));
  shape.element_bytes = b;
  memory.activations = activation_memory(shape, spec.activation_checkpointing);
  if (spec.tp_size > 1 && spec.sequence_parallel)
    memory.activations = memory.activations / static_cast<double>(spec.tp_size);
  memory.communication_buffers = spec.communication_buffer_fraction * memory.gradients;
  if (spec.pp_size > 1)
    memory.communication_buffers +=
        Bytes(2.0 * shape.microbatch * shape.sequence * shape.hidden * b);
  return memory;
}

Prediction predict_training_memory(const TrainingMemorySpec& spec) {
  const TrainingMemory memory = training_memory(spec);
  const Bytes available = spec.hardware.memory_capacity;
  Prediction prediction;
  prediction.formula = "training_memory";
  prediction.assumptions = formula_training_memory.assumptions;
  Table& out = prediction.outputs;
  out.set("weights_bytes", memory.weights.si());
  out.set("gradients_bytes", memory.gradients.si());
  out.set("optimizer_state_bytes", memory.optimizer_state.si());
  out.set("activations_bytes", memory.activations.si());
  out.set("communication_buffers_bytes", memory.communication_buffers.si());
  out.set("total_memory_bytes", memory.total().si());
  out.set("available_memory_bytes", available.si());
  out.set("memory_utilization", double(memory.total() / available));
  out.set("feasible", memory.total() <= available);
  return prediction;
}

}  // namespace lockstep
