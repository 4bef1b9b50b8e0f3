// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/training_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/analytic/precision.hpp"
#include "lockstep/platforms/registry.hpp"

namespace lockstep {
namespace {

void read_optimizer(TableReader& reader, TrainingMemorySpec& spec) {
  static const std::vector<std::string> known = {"adam", "sgd", "none"};
  spec.optimizer = lower_case(reader.text("optimizer", "adam"));
  if (std::find(known.begin(), known.end(), spec.optimizer) == known.end())
    reader.problem("optimizer",
                   fmt::format("optimizer \"{}\" is not known", spec.optimizer.substr(0, 60)),
                   known_names_hint(spec.optimizer, known));
}

}  // namespace

TrainingMemorySpec read_training_memory(TableReader& reader) {
  static const std::vector<std::string> strategies = {"none", "selective", "full"};
  TrainingMemorySpec spec;
  spec.workload = read_workload(reader);
  spec.hardware = read_accelerator(reader, "hardware");
  spec.batch_size = reader.count("batch_size");
  spec.seq_len = reader.count("seq_len", 2048);
  spec.precision = read_precision(reader, "precision", "fp16");
  read_optimizer(reader, spec);
  const std::string strategy = reader.choice("activation_checkpointing", strategies, "selective");
  spec.activation_checkpointing = strategy == "none"   ? Recompute::none
                                  : strategy == "full" ? Recompute::full
                                                       : Recompute::selective;
  spec.tp_size = reader.count("tp_size", 1);
  spec.pp_size = reader.count("pp_size", 1);
  spec.dp_size = reader.count("dp_size", 1);
  spec.ep_size = reader.count("ep_size", 1);
  spec.zero_stage = reader.count("zero_stage", 0, 0, 3);
  spec.gradient_accumulation_steps = reader.count("gradient_accumulation_steps", 1);
  spec.trainable_fraction = reader.number("trainable_fraction", fraction, 1.0);
  spec.communication_buffer_fraction =
      reader.number("communication_buffer_fraction", fraction, 0.05);
  spec.sequence_parallel = reader.flag("sequence_parallel", true);
  if (spec.activation_checkpointing == Recompute::none && !spec.workload.heads)
    reader.problem("activation_checkpointing",
                   "activation_checkpointing = \"none\" needs the workload's heads",
                   "give heads, or checkpoint \"selective\" or \"full\"");
  if (!spec.workload.parameters && reader.has("workload"))
    reader.problem("workload", "training memory needs the workload's parameters");
  return spec;
}

}  // namespace lockstep
