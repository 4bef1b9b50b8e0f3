// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/lower/distributed_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lockstep/sim/lower/collective.hpp"
#include "lockstep/sim/lower/pipeline_schedule.hpp"

namespace lockstep {
namespace {

// Who takes part in a collective: devices of the fleet, by position.
using Ranks = std::vector<std::int64_t>;

class DistributedLowering {
 public:
  DistributedLowering(const DistributedStepSpec& spec, const DistributedRun& run)
      : spec_(spec), run_(run), links_(links_of(spec.fleet)) {}

  Job build() {
    add_pipeline();
    const std::vector<TaskId> hidden = add_hidden_reduction();
    std::vector<TaskId> last = pipeline_end_;
    last = add_tensor_phase(last);
    last = add_expert_phase(last);
    last.insert(last.end(), hidden.begin(), hidden.end());
    const double exposed = spec_.overlap_comm ? 1.0 - spec_.overlap_efficiency : 1.0;
    add_data_phase(last, exposed, "exposed");
    job_.by_construction = run_.fidelity == Fidelity::formula && communicates();
    job_.graph = std::move(builder_).build();
    for (const Task& task : job_.graph.tasks()) job_.messages += task.kind == TaskKind::message;
    return std::move(job_);
  }

 private:
  bool communicates() const {
    return spec_.tp_size > 1 || spec_.ep_size > 1 || spec_.dp_size() > 1;
  }

  void add_pipeline() {
    PipelineScheduleSpec shape{spec_.pp_size, spec_.microbatch_count, spec_.v_stages, {}};
    PipelineRun run;
    run.schedule = run_.schedule;
    const double slots =
        static_cast<double>(spec_.microbatch_count) * static_cast<double>(spec_.v_stages);
    const double slot = spec_.slowdown() * run_.replica_latency.si() / slots;
    run.forward = PerChunk(slot / 3.0);
    run.backward = PerChunk(2.0 * slot / 3.0);
    PipelinePart part = add_pipeline_schedule(builder_, shape, run);
    job_.operations = part.operations;
    job_.messages = part.messages;
    job_.devices = std::move(part.devices);
    pipeline_end_ = std::move(part.last);
  }

  std::int64_t node_of(std::int64_t device) const {
    return device / spec_.fleet.accelerators_per_node;
  }

  // Links of one dimension of parallelism: ports of the devices that take part.
  struct Ports {
    std::map<std::int64_t, std::pair<LinkId, LinkId>> inside;
    std::map<std::int64_t, std::pair<LinkId, LinkId>> nic;
    std::map<std::pair<std::int64_t, std::int64_t>, RouteId> routes;
  };

  std::pair<LinkId, LinkId> port(std::map<std::int64_t, std::pair<LinkId, LinkId>>& ports,
                                 const std::string& name, std::int64_t device, double rate) {
    const auto [found, made] = ports.try_emplace(device);
    if (made)
      found->second = {job_.network.add_link(fmt::format("{} {} out", name, device), rate),
                       job_.network.add_link(fmt::format("{} {} in", name, device), rate)};
    return found->second;
  }

  struct Speeds {
    double scale = 1.0;  // of bytes and latencies
    Seconds inside_latency;
    bool nic_only = false;
    bool exclusive = true;  // no port serves two routes
  };

  Hop hop(Ports& ports, const Speeds& speeds, std::int64_t from, std::int64_t to) {
    const bool inside = !speeds.nic_only && node_of(from) == node_of(to);
    auto& kind = inside ? ports.inside : ports.nic;
    const char* name = inside ? "device" : "NIC";
    const double rate = (inside ? links_.intra_rate : links_.inter_rate).si();
    const auto [found, made] = ports.routes.try_emplace({from, to}, no_route);
    if (made)
      found->second = job_.network.add_route(
          {port(kind, name, from, rate).first, port(kind, name, to, rate).second},
          speeds.exclusive);
    const Seconds latency = inside ? speeds.inside_latency : links_.inter_latency;
    return {found->second, speeds.scale * latency.si()};
  }

  // A device that only communicates: drawn as a process of its own.
  std::vector<std::int32_t> draw(const Ranks& ranks, const std::string& group) {
    std::vector<std::int32_t> devices;
    for (const std::int64_t rank : ranks) {
      devices.push_back(static_cast<std::int32_t>(job_.devices.size()));
      job_.devices.push_back(fmt::format("{} rank {}", group, rank));
    }
    return devices;
  }

  CollectiveCall call_for(const char* operation, const char* algorithm, const Ranks& ranks,
                          Ports& ports, const Speeds& speeds) {
    CollectiveCall call;
    call.algorithm = find_collective(operation, algorithm);
    call.fidelity = run_.fidelity;
    call.shape.ranks = static_cast<std::int64_t>(ranks.size());
    call.shape.per_node = call.shape.ranks;
    call.hop = [this, &ranks, &ports, &speeds](std::int32_t from, std::int32_t to) {
      return hop(ports, speeds, ranks[static_cast<std::size_t>(from)],
                 ranks[static_cast<std::size_t>(to)]);
    };
    return call;
  }

  // Everything after the pipeline is multiplied by congestion and straggler.
  double communication_scale() const { return spec_.congestion_factor * spec_.slowdown(); }

  std::vector<TaskId> add_tensor_phase(const std::vector<TaskId>& before) {
    if (spec_.tp_size == 1) return before;
    const TaskId start = add_join(builder_, before);
    std::vector<TaskId> done;
    for (const std::int64_t first :
         group_representatives(spec_.accelerators() / spec_.tp_size, spec_.tp_size,
                               spec_.fleet.accelerators_per_node)) {
      Ranks ranks;
      for (std::int64_t i = 0; i < spec_.tp_size; ++i) ranks.push_back(first + i);
      Ports ports;
      const Speeds speeds{communication_scale(), links_.intra_latency, false};
      CollectiveCall call = call_for("all-reduce", "ring", ranks, ports, speeds);
      call.devices = draw(ranks, "tensor");
      call.stream = Stream::tensor;
      call.bytes = speeds.scale * tensor_message(spec_).si();
      call.closed_form = run_.tensor_closed_form * spec_.slowdown();
      call.ready.assign(ranks.size(), start);
      for (std::int64_t i = 0; i < tensor_all_reduces(spec_); ++i)
        call.ready = add_collective(builder_, call);
      done.insert(done.end(), call.ready.begin(), call.ready.end());
    }
    return done;
  }

  // Always on the NICs, as the formula prices it (the reference's M11), so one group stands for
  // all.
  std::vector<TaskId> add_expert_phase(const std::vector<TaskId>& before) {
    if (spec_.ep_size == 1) return before;
    Ranks ranks;
    for (std::int64_t i = 0; i < spec_.ep_size; ++i)
      ranks.push_back(i * spec_.tp_size * spec_.pp_size);
    Ports ports;
    const Speeds speeds{communication_scale(), links_.intra_latency, true, false};
    CollectiveCall call = call_for("all-to-all", "pairwise", ranks, ports, speeds);
    call.devices = draw(ranks, "expert");
    call.stream = Stream::expert;
    call.bytes = speeds.scale * expert_message(spec_).si();
    call.closed_form = run_.expert_closed_form * spec_.slowdown();
    call.ready.assign(ranks.size(), add_join(builder_, before));
    return add_collective(builder_, call);
  }

  std::vector<TaskId> add_hidden_reduction() {
    if (!spec_.overlap_comm) return {};
    return add_data_phase({}, spec_.overlap_efficiency, "overlapped");
  }

  // `share` of the data-parallel reduction, bytes and latencies alike.
  std::vector<TaskId> add_data_phase(const std::vector<TaskId>& before, double share,
                                     const std::string& word) {
    if (spec_.dp_size() == 1 || share == 0.0) return before;
    const TaskId start = add_join(builder_, before);
    const DataParallelPlacement placement = placement_of(spec_);
    const bool even = data_parallel_fills_nodes(spec_);
    const bool layered = even && placement.per_node > 1 && placement.nodes > 1;
    const double scale =
        share * communication_scale() / static_cast<double>(spec_.gradient_accumulation_steps);
    std::vector<TaskId> done;
    for (const std::int64_t first :
         group_representatives(spec_.replica(), 1, spec_.fleet.accelerators_per_node)) {
      Ranks ranks;
      for (std::int64_t i = 0; i < spec_.dp_size(); ++i)
        ranks.push_back(first + i * spec_.replica());
      Ports ports;
      const Speeds speeds{scale, layered ? links_.hierarchical_intra_latency : links_.intra_latency,
                          false};
      CollectiveCall call =
          call_for("all-reduce", layered ? "hierarchical" : "ring", ranks, ports, speeds);
      if (layered) call.shape.per_node = placement.per_node;
      call.devices = draw(ranks, word + " data");
      call.stream = Stream::data;
      call.bytes = scale * gradient_message(spec_).si();
      call.closed_form = run_.data_closed_form * (share * spec_.slowdown());
      call.ready.assign(ranks.size(), start);
      const std::vector<TaskId> ended = add_collective(builder_, call);
      done.insert(done.end(), ended.begin(), ended.end());
      if (even) break;  // every group lies on the nodes as this one
    }
    return done;
  }

  const DistributedStepSpec& spec_;
  const DistributedRun& run_;
  DistributedLinks links_;
  Job job_;
  TaskGraphBuilder builder_;
  std::vector<TaskId> pipeline_end_;
};

}  // namespace

std::vector<std::int64_t> group_representatives(std::int64_t groups, std::int64_t distance,
                                                std::int64_t per_node) {
  std::vector<std::int64_t> firsts;
  std::set<std::int64_t> seen;
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t first = group * distance;
    if (!seen.insert(first % per_node).second) break;  // positions repeat from here on
    firsts.push_back(first);
  }
  return firsts;
}

bool data_parallel_fills_nodes(const DistributedStepSpec& spec) {
  const std::int64_t g = spec.fleet.accelerators_per_node;
  const std::int64_t q = spec.replica();
  if (q > g) return true;  // every rank alone on its node
  const DataParallelPlacement placement = placement_of(spec);
  return g % q == 0 && spec.dp_size() == placement.per_node * placement.nodes;
}

Job lower_distributed_step(const DistributedStepSpec& spec, const DistributedRun& run) {
  return DistributedLowering(spec, run).build();
}

double task_count(const DistributedStepSpec& spec, const DistributedRun& run) {
  const std::int64_t g = spec.fleet.accelerators_per_node;
  const CollectiveInfo& ring = *find_collective("all-reduce", "ring");
  const auto one = [&](std::int64_t ranks) {
    return collective_tasks(ring, run.fidelity, {ranks, ranks});
  };
  double tasks = 2.0 * static_cast<double>(spec.pp_size) *
                 static_cast<double>(spec.microbatch_count) * static_cast<double>(spec.v_stages);
  if (spec.tp_size > 1) {
    const auto groups =
        group_representatives(spec.accelerators() / spec.tp_size, spec.tp_size, g).size();
    tasks += static_cast<double>(groups) * static_cast<double>(tensor_all_reduces(spec)) *
             one(spec.tp_size);
  }
  if (spec.ep_size > 1)
    tasks += collective_tasks(*find_collective("all-to-all", "pairwise"), run.fidelity,
                              {spec.ep_size, spec.ep_size});
  if (spec.dp_size() > 1) {
    const auto groups =
        data_parallel_fills_nodes(spec) ? 1 : group_representatives(spec.replica(), 1, g).size();
    // A hierarchical reduction has three phases of at most this many messages.
    tasks +=
        static_cast<double>(groups) * 3.0 * one(spec.dp_size()) * (spec.overlap_comm ? 2.0 : 1.0);
  }
  return tasks;
}

}  // namespace lockstep
