// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/double_binary_tree_all_reduce.hpp"

#include <cmath>

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"

namespace lockstep {

extern const FormulaInfo formula_double_binary_tree_all_reduce;
const FormulaInfo formula_double_binary_tree_all_reduce{
    .name = "double_binary_tree_all_reduce",
    .statement = "T = 1.2 * 2 log2(n) A + 1.05 * 2(n-1)/n * M/W",
    .symbols = {{"n", "ranks, >= 1"},
                {"M", "bytes of each rank's message, >= 0"},
                {"W", "rate of a hop one way, byte/s, > 0"},
                {"A", "latency of a hop, s, >= 0"}},
    .assumptions = {Assumption::private_links, Assumption::flat_latency,
                    Assumption::fitted_constants},
    .source = "mlsysim 0.3.0; Sanders, Speck, Traeff 2009 (Parallel Computing 35:581)"};

Seconds double_binary_tree_all_reduce(Bytes message, std::int64_t ranks, BytesPerSecond rate,
                                      Seconds latency) {
  constexpr double latency_factor = 1.2;     // fitted, reference section 1.2
  constexpr double bandwidth_factor = 1.05;  // fitted, reference section 1.2
  guard_link(message, ranks, rate, latency);
  if (ranks == 1) return Seconds(0.0);
  const auto n = static_cast<double>(ranks);
  return latency_factor * 2.0 * std::log2(n) * latency +
         bandwidth_factor * 2.0 * (n - 1.0) / n * (message / rate);
}

}  // namespace lockstep
