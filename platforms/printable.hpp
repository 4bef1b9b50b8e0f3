// SPDX-License-Identifier: Apache-2.0
// Texts of others made safe to show: names and keys come from files that anybody may have written.
// Layer: platforms (standard library only).
#pragma once
#include <string>
#include <string_view>

namespace lockstep {

/// The text with everything escaped that would act on a terminal instead of being read there:
/// control characters ("\n", "\x1b"), marks that turn or break lines ("\u202e", "\u2028"), and
/// bytes that are not UTF-8 ("\xff"). All else, spaces and other scripts included, stays.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace lockstep
