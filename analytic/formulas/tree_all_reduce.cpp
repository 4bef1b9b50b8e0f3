// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/tree_all_reduce.hpp"

#include <bit>

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"

namespace lockstep {

extern const FormulaInfo formula_tree_all_reduce;
const FormulaInfo formula_tree_all_reduce{
    .name = "tree_all_reduce",
    .statement = "T = 2 ceil(log2 n) (M/W + A)",
    .symbols = {{"n", "ranks, >= 1"},
                {"M", "bytes of each rank's message, >= 0"},
                {"W", "rate of a hop one way, byte/s, > 0"},
                {"A", "latency of a hop, s, >= 0"}},
    .assumptions = {Assumption::private_links, Assumption::flat_latency},
    .source = "Thakur, Rabenseifner, Gropp 2005 (IJHPCA 19:49), section 4"};

Seconds tree_all_reduce(Bytes message, std::int64_t ranks, BytesPerSecond rate, Seconds latency) {
  guard_link(message, ranks, rate, latency);
  if (ranks == 1) return Seconds(0.0);
  const auto levels = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks - 1)));
  return 2.0 * levels * (message / rate) + 2.0 * levels * latency;
}

}  // namespace lockstep
