// SPDX-License-Identifier: Apache-2.0
// The model that is trained, as the reference knows it: sizes and operations.
// Layer: analytic (may include platforms only).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/platforms/quantity.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

enum class WorkloadKind { base, transformer, sparse_transformer, cnn, ssm, diffusion, embodied };

/// A workload; absent facts are absent.
struct Workload {
  std::string name;
  WorkloadKind kind = WorkloadKind::base;
  std::optional<double> parameters;            ///< P, count, > 0
  double parameters_raw_magnitude = 0.0;       ///< what the replica formulas use; P unless given
  std::optional<Bytes> model_size;             ///< S
  std::optional<Flops> inference_flops;        ///< F, of one forward pass (a token, an image, ...)
  std::optional<std::int64_t> layers;          ///< L
  std::optional<std::int64_t> hidden_dim;      ///< h
  std::optional<std::int64_t> heads;           ///< a
  std::optional<std::int64_t> context_length;  ///< tokens
  std::optional<double> active_parameters;     ///< of a sparse transformer
  std::optional<std::int64_t> experts;
  std::optional<std::int64_t> active_experts_per_token;
  std::optional<std::int64_t> denoising_steps;

  [[nodiscard]] bool is_transformer() const {
    return kind == WorkloadKind::transformer || kind == WorkloadKind::sparse_transformer;
  }
};

/// Bytes of the weights at a precision given as text.
///
///   S                    when S is given and the text is exactly "fp16" or "bf16"
///   P * bytes(precision) when P is given
///   S                    otherwise
///
/// Throws: Error(input) when neither P nor S is given. Source: reference, section 0.5.
[[nodiscard]] Bytes size_at(const Workload& workload, std::string_view precision);

/// Bytes of the weights at an element width: S when S is given and the width is 2 bytes, else as
/// above. Source: reference, section 0.5.
[[nodiscard]] Bytes size_at_width(const Workload& workload, Bytes width);

/// Reads the workload under `key`: a catalogue name, a table, or an entry with changes. Echoes it
/// complete.
[[nodiscard]] Workload read_workload(TableReader& reader, std::string_view key = "workload");

}  // namespace lockstep
