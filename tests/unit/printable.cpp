// SPDX-License-Identifier: Apache-2.0
// Texts of others on our terminal: what is escaped and what stays.
#include "lockstep/platforms/printable.hpp"

#include <string>

#include "lockstep/tests/support/catch.hpp"

using lockstep::printable;

TEST_CASE("ordinary text of any script stays", "[printable]") {
  for (const char* text :
       {"", "GPT-3 (175B), tp8 | pp4 \\ ~", "\u00e9\u4e16\U0001f600", "a\u00a0b"})
    CHECK(printable(text) == text);
}

TEST_CASE("what acts on a terminal is escaped", "[printable]") {
  CHECK(printable("a\nb\tc\r") == "a\\nb\\tc\\r");
  CHECK(printable("\x1b[31m\x7f\x01") == "\\x1b[31m\\x7f\\x01");
  CHECK(printable(std::string("\0", 1)) == "\\x00");
  CHECK(printable("\u0085\u202e\u2028\u2066\ufeff") == "\\u0085\\u202e\\u2028\\u2066\\ufeff");
}

TEST_CASE("bytes that are not UTF-8 are escaped one by one", "[printable]") {
  CHECK(printable("a\xff\xfe") == "a\\xff\\xfe");
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong
  CHECK(printable("\xe0\x80\x80") == "\\xe0\\x80\\x80");  // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(printable("\xe4\xb8") == "\\xe4\\xb8");  // cut
}
