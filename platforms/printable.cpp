// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/printable.hpp"

#include <fmt/format.h>

namespace lockstep {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;  // bytes; 0: not UTF-8
};

// The first code point of a text that is not empty; overlong forms and surrogates are none.
CodePoint first_of(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) return {lead, 1};
  const std::size_t size = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < size) return {};
  char32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (size == 3 && value < 0x800U) || (size == 4 && value < 0x10000U);
  const bool surrogate = value >= 0xD800U && value <= 0xDFFFU;
  if (overlong || surrogate || value > 0x10FFFFU) return {};
  return {value, size};
}

bool acts(char32_t c) {
  return c < 0x20U || (c >= 0x7FU && c <= 0x9FU) || c == 0x200EU || c == 0x200FU ||
         (c >= 0x2028U && c <= 0x202EU) || (c >= 0x2066U && c <= 0x2069U) || c == 0xFEFFU;
}

std::string escaped(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  const auto number = static_cast<std::uint32_t>(c);
  return number < 0x80U ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const CodePoint point = first_of(text);
    if (point.size == 0)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (acts(point.value))
      shown += escaped(point.value);
    else
      shown += text.substr(0, point.size);
    text.remove_prefix(point.size == 0 ? 1 : point.size);
  }
  return shown;
}

}  // namespace lockstep
