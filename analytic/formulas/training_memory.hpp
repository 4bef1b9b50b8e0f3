// SPDX-License-Identifier: Apache-2.0
// Training memory of one accelerator: closed forms.
// Layer: analytic (may include platforms only).
#pragma once
#include "lockstep/analytic/prediction.hpp"
#include "lockstep/analytic/specs/training_memory.hpp"

namespace lockstep {

/// The part of a transformer whose activations an accelerator keeps.
struct ActivationShape {
  std::int64_t layers = 1;     ///< Ls, held here, >= 1
  double sequence = 1.0;       ///< s, tokens
  double microbatch = 1.0;     ///< b, sequences
  double hidden = 1.0;         ///< h
  double heads = 0.0;          ///< a; needed without recomputation
  double element_bytes = 2.0;  ///< w
};

/// Bytes of activations of one microbatch.
///
///   full       Ls * 2 s b h * (w/2)
///   selective  Ls * 34 s b h * (w/2)
///   none       Ls * (34 s b h + 5 a s^2 b) * (w/2)
///
/// Symbols and ranges: ActivationShape. Returns bytes >= 0.
/// Throws: Error(input) when Ls < 1.
/// Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4; reference, section 1.6.
/// Checked by: golden "training_memory".
[[nodiscard]] Bytes activation_memory(const ActivationShape& shape, Recompute recompute);

struct TrainingMemory {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer_state;
  Bytes activations;
  Bytes communication_buffers;

  [[nodiscard]] Bytes total() const {
    return weights + gradients + optimizer_state + activations + communication_buffers;
  }
};

/// What one accelerator holds in training.
///
///   Pr = P / (t p x);  weights = Pr b;  gradients = Pr tau b
///   optimizer = Pr tau (adam 12, sgd 4, none 0)
///   ZeRO >= 1: optimizer / d;  >= 2: gradients / d;  >= 3: weights / d
///   activations = activation_memory(max(1, ceil(L/p)), s, max(1, ceil(B/(d A))), h, a, b),
///                 divided by t when t > 1 and sequence_parallel
///   buffers = beta gradients + (p > 1 ? 2 mb s h b : 0)
///
/// Symbols and ranges: TrainingMemorySpec; b bytes of an element, h 4096 when the workload has none.
/// Returns bytes >= 0 each.
/// Throws: Error(input) outside the ranges or when the workload has no parameters.
/// Source: reference, section 6.3; Rajbhandari et al. 2020 (arXiv:1910.02054) for ZeRO.
/// Checked by: golden "training_memory".
[[nodiscard]] TrainingMemory training_memory(const TrainingMemorySpec& spec);

/// All outputs of kind "training-memory".
[[nodiscard]] Prediction predict_training_memory(const TrainingMemorySpec& spec);

}  // namespace lockstep
