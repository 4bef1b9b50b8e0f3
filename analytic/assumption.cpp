// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/assumption.hpp"

namespace lockstep {
namespace {

using enum Assumption;
constexpr std::array<AssumptionInfo, 21> table = {{
    {equal_stages, "equal_stages", "every pipeline stage takes the same time"},
    {free_pipeline_transfers, "free_pipeline_transfers",
     "activations and gradients cross stage boundaries in no time"},
    {tensor_collectives_once_per_step, "tensor_collectives_once_per_step",
     "tensor all-reduces carry a whole local batch and pay their latency once a step"},
    {tensor_rings_at_one_rate, "tensor_rings_at_one_rate",
     "every hop of a tensor ring runs at the same rate"},
    {private_links, "private_links", "nobody else uses the links of a collective"},
    {fixed_overlap_share, "fixed_overlap_share",
     "a fixed share of the gradient reduction hides under computation"},
    {hidden_share_fits, "hidden_share_fits", "what overlaps is no longer than what it hides under"},
    {large_ring_factor, "large_ring_factor",
     "an all-reduce moves 2 times its bytes, instead of 2(n-1)/n times"},
    {layered_rings, "layered_rings",
     "a ring inside each node, then a ring over all devices at the inter-node rate"},
    {flat_latency, "flat_latency", "a message pays one latency, whatever its route"},
    {whole_microbatches, "whole_microbatches", "the batch divides into whole microbatches"},
    {microbatches_divide_stages, "microbatches_divide_stages",
     "the stages divide the microbatches (interleaved schedules)"},
    {full_nodes, "full_nodes", "every node is full"},
    {uniform_devices, "uniform_devices", "all devices are equally fast"},
    {no_jitter, "no_jitter", "an operation takes the same time each time"},
    {global_straggler, "global_straggler", "a straggler slows everything, communication included"},
    {amortised_accumulation, "amortised_accumulation",
     "gradient accumulation divides the reduction's time"},
    {rounded_window, "rounded_window", "the compute window is rounded to a resolution"},
    {fitted_constants, "fitted_constants", "the formula holds constants fitted to measurements"},
    {backward_twice_forward, "backward_twice_forward", "a backward takes twice its forward"},
    {noninterleaved, "noninterleaved", "every device holds one stage"},
}};

}  // namespace

std::span<const AssumptionInfo> assumptions() {
  return table;
}

std::string_view name_of(Assumption assumption) {
  return table[static_cast<std::size_t>(assumption)].name;
}

std::string_view statement_of(Assumption assumption) {
  return table[static_cast<std::size_t>(assumption)].statement;
}

}  // namespace lockstep
