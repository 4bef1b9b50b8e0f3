// SPDX-License-Identifier: Apache-2.0
// The seven number formats of the reference.
// Layer: analytic (may include platforms only).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/platforms/quantity.hpp"
#include "lockstep/platforms/table_reader.hpp"

namespace lockstep {

/// Bytes of one element: fp32 4, tf32 4, bf16 2, fp16 2, fp8 1, int8 1, int4 0.5; upper or lower
/// case. Nothing for any other name. Source: reference, section 0.2.
[[nodiscard]] std::optional<Bytes> bytes_per_element(std::string_view precision);

/// The seven names.
[[nodiscard]] const std::vector<std::string>& precision_names();

/// "FP16" to "fp16".
[[nodiscard]] std::string lower_case(std::string_view text);

/// Reads a precision name; an unknown one is a problem that lists the known.
[[nodiscard]] std::string read_precision(TableReader& reader, std::string_view key,
                                         const std::optional<std::string>& otherwise = {});

}  // namespace lockstep
