// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"

namespace lockstep {

extern const FormulaInfo formula_ring_all_reduce;
const FormulaInfo formula_ring_all_reduce{
    .name = "ring_all_reduce",
    .statement = "T = 2(n-1)/n * M/W + 2(n-1) * A",
    .symbols = {{"n", "ranks, >= 1"},
                {"M", "bytes of each rank's message, >= 0"},
                {"W", "rate of a hop one way, byte/s, > 0"},
                {"A", "latency of a hop, s, >= 0"}},
    .assumptions = {Assumption::private_links, Assumption::flat_latency},
    .source = "Thakur, Rabenseifner, Gropp 2005 (IJHPCA 19:49), section 4"};

double ring_data_factor(std::int64_t ranks) {
  guard_at_least("ranks", ranks, 1);
  const auto n = static_cast<double>(ranks);
  return ranks == 1 ? 0.0 : 2.0 * (n - 1.0) / n;
}

Seconds ring_all_reduce(Bytes message, std::int64_t ranks, BytesPerSecond rate, Seconds latency) {
  guard_link(message, ranks, rate, latency);
  if (ranks == 1) return Seconds(0.0);
  const double steps = 2.0 * (static_cast<double>(ranks) - 1.0);
  return ring_data_factor(ranks) * (message / rate) + steps * latency;
}

}  // namespace lockstep
