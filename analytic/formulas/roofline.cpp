// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/roofline.hpp"

#include <limits>

#include "lockstep/analytic/formulas.hpp"

namespace lockstep {

extern const FormulaInfo formula_roofline;
const FormulaInfo formula_roofline{.name = "roofline",
                                   .statement = "Memory iff T/W > O/R; intensity O/T",
                                   .symbols = {{"O", "operations, flop"},
                                               {"T", "memory traffic, byte"},
                                               {"R", "achieved rate, flop/s"},
                                               {"W", "memory bandwidth, byte/s"}},
                                   .assumptions = {},
                                   .source = "Williams, Waterman, Patterson 2009 (CACM 52:65)"};

Roofline roofline(Flops operations, Bytes traffic, FlopsPerSecond rate, BytesPerSecond bandwidth) {
  constexpr double no_time = 1e-18;  // s, reference section 1.7
  constexpr double nothing = 1e-15;  // flop or byte, likewise
  const double compute = (operations / rate).si();
  const double memory = (traffic / bandwidth).si();
  Roofline result;
  if (memory < no_time)
    result.label = "Compute";
  else if (compute < no_time)
    result.label = "Memory";
  else
    result.label = memory > compute ? "Memory" : "Compute";
  if (operations.si() < nothing)
    result.intensity = 0.0;
  else if (traffic.si() < nothing)
    result.intensity = std::numeric_limits<double>::infinity();
  else
    result.intensity = operations.si() / traffic.si();
  return result;
}

}  // namespace lockstep
