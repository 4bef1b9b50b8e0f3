// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/all_to_all.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"

namespace lockstep {

extern const FormulaInfo formula_all_to_all;
const FormulaInfo formula_all_to_all{
    .name = "all_to_all",
    .statement = "T = (n-1)/n * M/W + (n-1) A",
    .symbols = {{"n", "ranks, >= 1"},
                {"M", "bytes of each rank's message, >= 0"},
                {"W", "rate of a hop one way, byte/s, > 0"},
                {"A", "latency of a hop, s, >= 0"}},
    .assumptions = {Assumption::private_links, Assumption::flat_latency},
    .source = "Thakur, Rabenseifner, Gropp 2005 (IJHPCA 19:49), section 4.3"};

Seconds all_to_all(Bytes message, std::int64_t ranks, BytesPerSecond rate, Seconds latency) {
  guard_link(message, ranks, rate, latency);
  const auto n = static_cast<double>(ranks);
  return (n - 1.0) / n * (message / rate) + (n - 1.0) * latency;
}

}  // namespace lockstep
