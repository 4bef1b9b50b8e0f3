// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/formulas/hierarchical_all_reduce.hpp"

#include "lockstep/analytic/formulas.hpp"
#include "lockstep/analytic/formulas/guards.hpp"
#include "lockstep/analytic/formulas/ring_all_reduce.hpp"

namespace lockstep {

extern const FormulaInfo formula_hierarchical_all_reduce;
const FormulaInfo formula_hierarchical_all_reduce{
    .name = "hierarchical_all_reduce",
    .statement = "T = 2[(g-1)/g M/Wi + (g-1) Ai] + ring(M/g, k, Wx, Ax)",
    .symbols = {{"g", "ranks a node, >= 1"},
                {"k", "nodes, >= 1"},
                {"M", "bytes of each rank's message, >= 0"},
                {"Wi, Ai", "rate (byte/s, > 0) and latency (s, >= 0) inside a node"},
                {"Wx, Ax", "the same between nodes"}},
    .assumptions = {Assumption::private_links, Assumption::flat_latency, Assumption::full_nodes},
    .source = "Jia et al. 2018 (arXiv:1807.11205), section 3.3; mlsysim 0.3.0"};

Seconds hierarchical_all_reduce(Bytes message, std::int64_t nodes, std::int64_t per_node,
                                LinkClass intra, LinkClass inter) {
  guard_link(message, per_node, intra.rate, intra.latency);
  const auto g = static_cast<double>(per_node);
  const Seconds inside = (g - 1.0) / g * (message / intra.rate) + (g - 1.0) * intra.latency;
  return 2.0 * inside + ring_all_reduce(message / g, nodes, inter.rate, inter.latency);
}

}  // namespace lockstep
