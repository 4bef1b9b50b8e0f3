// SPDX-License-Identifier: Apache-2.0
// Any bytes as a TOML scenario: read and priced, or refused with Error; never anything else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/scenario_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto scenario = lockstep::read_scenario(lockstep::parse_toml(text, "fuzz"), "fuzz");
    static_cast<void>(scenario->predict());
  } catch (const lockstep::Error& error) {
    if (error.kind() == lockstep::ErrorKind::internal) __builtin_trap();  // our bug
  }
  return 0;
}
