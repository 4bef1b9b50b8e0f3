// SPDX-License-Identifier: Apache-2.0
// What closed forms take for granted. Formulas name theirs; a run that breaks one says so.
// Layer: analytic (may include platforms only).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep {

enum class Assumption : std::uint8_t {
  equal_stages,
  free_pipeline_transfers,
  tensor_collectives_once_per_step,
  tensor_rings_at_one_rate,
  private_links,
  fixed_overlap_share,
  hidden_share_fits,
  large_ring_factor,
  layered_rings,
  flat_latency,
  whole_microbatches,
  microbatches_divide_stages,
  full_nodes,
  uniform_devices,
  no_jitter,
  global_straggler,
  amortised_accumulation,
  rounded_window,
  fitted_constants,
  backward_twice_forward,
  noninterleaved,
};

struct AssumptionInfo {
  Assumption id;
  std::string_view name;       ///< as in JSON and in `lockstep list assumptions`
  std::string_view statement;  ///< what is taken for granted, one sentence
};

/// All assumptions in the order of the enum.
[[nodiscard]] std::span<const AssumptionInfo> assumptions();

[[nodiscard]] std::string_view name_of(Assumption assumption);
[[nodiscard]] std::string_view statement_of(Assumption assumption);

}  // namespace lockstep
