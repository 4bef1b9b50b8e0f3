// SPDX-License-Identifier: Apache-2.0
// Inputs of kind "parallel-layout": fields of the documented ParallelLayoutScenario.
// Layer: analytic (may include platforms only).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/analytic/workload.hpp"
#include "lockstep/platforms/cluster.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

struct ParallelLayoutSpec {
  Workload workload;                   ///< with parameters
  std::int64_t tp_size = 1;            ///< t, >= 1
  std::int64_t pp_size = 1;            ///< p, >= 1
  std::int64_t dp_size = 1;            ///< d, >= 1
  std::int64_t microbatches = 1;       ///< m, >= 1
  double batch_tokens = 0.0;           ///< D, tokens an update, >= 0
  double flops_per_param_token = 6.0;  ///< f, >= 0
  Accelerator accelerator;
  std::string precision = "fp8";  ///< a key of the accelerator's table, to the letter
  double local_efficiency = 1.0;  ///< e, in (0, 1]
  BytesPerSecond link_bandwidth;  ///< W, > 0
  double overlap_fraction = 0.0;  ///< o, 0 to 1
  std::string gradient_precision = "fp16";
  std::optional<Seconds> window_resolution;  ///< R, > 0
  std::optional<Bytes> device_memory;        ///< Cd, > 0

  [[nodiscard]] std::int64_t devices() const { return tp_size * pp_size * dp_size; }
  /// f P D: operations of an update.
  [[nodiscard]] double step_flops() const;
  /// f P D / (n peak e), before rounding.
  [[nodiscard]] Seconds raw_window() const;
  /// The compute window, rounded to the resolution: an input of formula and run alike.
  [[nodiscard]] Seconds window() const;
  /// What the formula hides on these inputs: a window that rounding moves by more than 1 %, an
  /// all-reduce of 2 shards where a ring of d ranks moves less.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// Gradient bytes of the model, and of one device (G / (t p)).
  [[nodiscard]] Bytes gradient_bytes() const;
  [[nodiscard]] Bytes shard_bytes() const;
};

/// x rounded to a resolution R: when R is a power of ten (to 1e-12 s, absolute), decimal rounding
/// of the double's exact value; else round-half-even(x/R) R. Throws: Error(input) if R <= 0.
/// Source: reference, section 4.
[[nodiscard]] double round_to_resolution(double value, double resolution);

[[nodiscard]] ParallelLayoutSpec read_parallel_layout(TableReader& reader);

}  // namespace lockstep
