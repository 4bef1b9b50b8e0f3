// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/kinds/distributed_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lockstep/analytic/formulas/distributed_step.hpp"
#include "lockstep/analytic/replica_profile.hpp"
#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/quantity_text.hpp"
#include "lockstep/platforms/registry.hpp"

namespace lockstep {
namespace {

// The solver's terms before the straggler, as predict_distributed_step lists them.
struct Terms {
  Seconds latency;
  Seconds exposed_data;
  Seconds tensor;
  Seconds expert;
  Seconds bubble;
  Seconds data;  // before overlap
};

Terms terms_of(const DistributedStepSpec& spec) {
  const Prediction prediction = predict_distributed_step(spec);
  const Seconds data(
      std::get<double>(prediction.outputs.find("dp_communication_latency_s")->data()));
  return {prediction.terms[0].value, prediction.terms[1].value, prediction.terms[2].value,
          prediction.terms[3].value, prediction.terms[4].value, data};
}

// What the overlapped part of the reduction may hide under.
Seconds cover_of(const Terms& terms) {
  return terms.latency + terms.bubble + terms.tensor + terms.expert;
}

bool hides(const DistributedStepSpec& spec) {
  return spec.overlap_comm && spec.dp_size() > 1 && spec.overlap_efficiency > 0.0;
}

// Tensor groups that straddle nodes though they would fit one, or data-parallel groups that lie
// unevenly: the formula knows neither.
bool tensor_groups_fit(const DistributedStepSpec& spec) {
  const std::int64_t g = spec.fleet.accelerators_per_node;
  return spec.tp_size == 1 || spec.tp_size > g || g % spec.tp_size == 0;
}

bool data_groups_fit(const DistributedStepSpec& spec) {
  return spec.dp_size() == 1 || data_parallel_fills_nodes(spec);
}

// A tensor ring over several nodes has hops of two kinds; the formula prices all as the slower.
bool tensor_rings_faster_outside(const DistributedStepSpec& spec) {
  const std::int64_t g = spec.fleet.accelerators_per_node;
  if (spec.tp_size <= g || g == 1) return false;
  const DistributedLinks links = links_of(spec.fleet);
  return links.inter_rate > links.intra_rate || links.intra_latency > links.inter_latency;
}

// The nearest cluster whose nodes replicas and tensor groups fill: fewer accelerators a node, and
// as many nodes as whole replicas need.
void fill_nodes(DistributedStepSpec& spec) {
  const std::int64_t g = spec.fleet.accelerators_per_node;
  const std::int64_t q = spec.replica();
  const std::int64_t unit = std::max<std::int64_t>(1, q <= g ? q : std::min(spec.tp_size, g));
  const std::int64_t per_node = std::max(unit, g / unit * unit);
  LOCKSTEP_CHECK(per_node > 0 && q > 0, "a replica and a node have accelerators");
  const std::int64_t nodes_a_replica = q / std::gcd(q, per_node);
  LOCKSTEP_CHECK(nodes_a_replica > 0, "a replica lies on some node");
  const std::int64_t wanted = (spec.accelerators() + per_node - 1) / per_node;
  spec.fleet.accelerators_per_node = per_node;
  spec.fleet.nodes = (wanted + nodes_a_replica - 1) / nodes_a_replica * nodes_a_replica;
  spec.used_accelerators = 0;
}

}  // namespace

DistributedRun DistributedScenario::run() const {
  DistributedRun run;
  run.schedule = find_by_name(schedules(), spec.v_stages > 1 ? "interleaved-1f1b" : "1f1b");
  run.fidelity = fidelity;
  run.replica_latency = replica_profile(spec).latency;
  if (fidelity == Fidelity::formula) {
    const Terms terms = terms_of(spec);
    run.data_closed_form = terms.data;
    run.tensor_closed_form = terms.tensor / static_cast<double>(tensor_all_reduces(spec));
    run.expert_closed_form = terms.expert;
  }
  return run;
}

Prediction DistributedScenario::predict() const {
  return predict_distributed_step(spec);
}

std::vector<Figure> DistributedScenario::expected() const {
  const Terms terms = terms_of(spec);
  const double slow = spec.slowdown();
  return {
      {"makespan_s", predict_distributed_step(spec).total().si()},
      {"pipeline_bubble_latency_s", slow * terms.bubble.si()},
      {"exposed_communication_s", slow * (terms.exposed_data + terms.tensor + terms.expert).si()}};
}

std::vector<Figure> DistributedScenario::measured(const Job& job, const TaskTimes& times) const {
  const RunFigures figures = run_figures(job, times);
  const double busy_of_a_stage = figures.busy / static_cast<double>(spec.pp_size);
  return {{"makespan_s", figures.makespan},
          {"pipeline_bubble_latency_s", figures.last_compute - busy_of_a_stage, figures.makespan},
          {"exposed_communication_s", figures.makespan - figures.last_compute, figures.makespan}};
}

std::vector<Broken> DistributedScenario::broken() const {
  std::vector<Broken> list;
  const std::int64_t per_node = spec.fleet.accelerators_per_node;
  std::string misfit;
  if (!tensor_groups_fit(spec))
    misfit = fmt::format("tensor groups of {} straddle nodes of {}", spec.tp_size, per_node);
  if (!data_groups_fit(spec))
    misfit += fmt::format("{}replicas of {} do not fill nodes of {}, so the reduction is one ring",
                          misfit.empty() ? "" : "; ", spec.replica(), per_node);
  if (!misfit.empty()) list.push_back({Assumption::full_nodes, misfit});
  if (tensor_rings_faster_outside(spec))
    list.push_back({Assumption::tensor_rings_at_one_rate,
                    "hops inside a node are slower than those between nodes"});
  if (spec.v_stages > 1 && spec.pp_size > 1 && spec.microbatch_count % spec.pp_size != 0)
    list.push_back({Assumption::microbatches_divide_stages,
                    fmt::format("{} stages do not divide {} microbatches", spec.pp_size,
                                spec.microbatch_count)});
  const Terms terms = terms_of(spec);
  const Seconds hidden = terms.data * spec.overlap_efficiency;
  if (hides(spec) && hidden > cover_of(terms))
    list.push_back({Assumption::hidden_share_fits,
                    fmt::format("{} of the reduction should hide under {}",
                                quantity_text(hidden * spec.slowdown()),
                                quantity_text(cover_of(terms) * spec.slowdown()))});
  return list;
}

std::unique_ptr<Scenario> DistributedScenario::repaired(Assumption assumption) const {
  auto copy = std::make_unique<DistributedScenario>(*this);  // of a derived kind: its step alone
  switch (assumption) {
    case Assumption::full_nodes:
      fill_nodes(copy->spec);
      return copy;
    case Assumption::tensor_rings_at_one_rate: {
      Cluster& fleet = copy->spec.fleet;
      const DistributedLinks links = links_of(fleet);
      fleet.intra_node_bw = std::max(links.intra_rate, links.inter_rate);
      if (fleet.accelerator.device_link)
        fleet.accelerator.device_link->latency = std::min(links.intra_latency, links.inter_latency);
      else
        fleet.fabric.latency = std::max(links.intra_latency, links.inter_latency);
      return copy;
    }
    case Assumption::microbatches_divide_stages:
      copy->spec.microbatch_count += spec.pp_size - spec.microbatch_count % spec.pp_size;
      return copy;
    case Assumption::hidden_share_fits: {
      const Terms terms = terms_of(spec);
      constexpr double inside =
          1.0 - 1e-12;  // so that the repaired share does fit, rounding included
      copy->spec.overlap_efficiency = inside * (cover_of(terms) / terms.data);
      return copy;
    }
    default:
      return nullptr;
  }
}

}  // namespace lockstep
