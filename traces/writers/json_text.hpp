// SPDX-License-Identifier: Apache-2.0
// Streaming JSON text: strings, numbers and nanoseconds, in pieces of 64 KiB and without a document
// in memory.
// Layer: traces (may include platforms only).
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <string_view>

namespace lockstep {

/// The length of the well-formed UTF-8 sequence (RFC 3629) that `text` begins with; 0 when the
/// first byte begins none: overlong forms, surrogates and cut sequences are not well-formed.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto is_tail = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  if (text.empty()) return 0;
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return is_tail(1, 0x80, 0xbf) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : 0xbf;
    return is_tail(1, low, high) && is_tail(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return is_tail(1, low, high) && is_tail(2, 0x80, 0xbf) && is_tail(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

class JsonText {
 public:
  explicit JsonText(std::ostream& out) : out_(out) {}

  /// Text that is already JSON.
  void raw(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    if (buffer_.size() >= flush_at) flush();
  }

  void integer(std::int64_t value) {
    const fmt::format_int digits(value);
    buffer_.append(digits.data(), digits.data() + digits.size());
  }

  /// A finite number, in the shortest form that reads back as the same double.
  void number(double value) { fmt::format_to(std::back_inserter(buffer_), "{}", value); }

  /// Nanoseconds >= 0 as microseconds with three decimals. Never by way of a double, whose sums
  /// would move the ends of slices.
  void microseconds(std::int64_t nanoseconds) {
    integer(nanoseconds / 1000);
    const auto rest = static_cast<int>(nanoseconds % 1000);
    const char decimals[] = {'.', digit(rest / 100), digit(rest / 10 % 10), digit(rest % 10)};
    buffer_.append(decimals, decimals + sizeof decimals);
  }

  /// A quoted string. Bytes that are not UTF-8 become U+FFFD, one for each.
  void string(std::string_view text) {
    buffer_.push_back('"');
    std::size_t plain = 0;  // start of what has not been copied yet
    for (std::size_t i = 0; i < text.size();) {
      const auto byte = static_cast<unsigned char>(text[i]);
      const std::size_t length = utf8_length(text.substr(i));
      if (length > 0 && byte >= 0x20 && byte != '"' && byte != '\\') {
        i += length;
        continue;
      }
      raw(text.substr(plain, i - plain));
      if (length == 0)
        raw("\xef\xbf\xbd");
      else if (byte >= 0x20)
        raw(byte == '"' ? "\\\"" : "\\\\");
      else
        fmt::format_to(std::back_inserter(buffer_), "\\u{:04x}", static_cast<unsigned>(byte));
      plain = ++i;
    }
    raw(text.substr(plain));
    buffer_.push_back('"');
  }

  /// Hands everything on to the stream. Call it once at the end.
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t flush_at = std::size_t{1} << 16;
  static char digit(int value) { return static_cast<char>('0' + value); }

  std::ostream& out_;
  fmt::memory_buffer buffer_;
};

}  // namespace lockstep
