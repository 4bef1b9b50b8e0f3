// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "training-memory": what one accelerator must hold.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <string>

#include "lockstep/analytic/workload.hpp"
#include "lockstep/platforms/cluster.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

/// What is kept of the forward for the backward.
enum class Recompute : std::uint8_t {
  none,       ///< everything is kept
  selective,  ///< attention scores are computed again
  full,       ///< only the input of each layer is kept
};

struct TrainingMemorySpec {
  Workload workload;
  Accelerator hardware;
  std::int64_t batch_size = 1;  ///< sequences over all data-parallel ranks, >= 1
  std::int64_t seq_len = 2048;  ///< tokens a sequence, >= 1
  std::string precision = "fp16";
  std::string optimizer = "adam";  ///< adam, sgd or none, upper or lower case
  Recompute activation_checkpointing = Recompute::selective;
  std::int64_t tp_size = 1;                      ///< t, >= 1
  std::int64_t pp_size = 1;                      ///< p, >= 1
  std::int64_t dp_size = 1;                      ///< d, >= 1
  std::int64_t ep_size = 1;                      ///< x, >= 1
  std::int64_t zero_stage = 0;                   ///< 0 to 3
  std::int64_t gradient_accumulation_steps = 1;  ///< A, >= 1
  double trainable_fraction = 1.0;               ///< tau, 0 to 1
  double communication_buffer_fraction = 0.05;   ///< beta, 0 to 1
  bool sequence_parallel = true;
};

[[nodiscard]] TrainingMemorySpec read_training_memory(TableReader& reader);

}  // namespace lockstep
