// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/lower/data_parallel_scale_out.hpp"

#include <fmt/format.h>

#include <map>

#include "lockstep/sim/lower/collective.hpp"

namespace lockstep {
namespace {

class ScaleOutLowering {
 public:
  ScaleOutLowering(const DataParallelScaleOutSpec& spec, const ScaleOutRun& run)
      : spec_(spec),
        run_(run),
        per_node_(static_cast<std::int32_t>(spec.devices_per_node)),
        devices_(static_cast<std::int32_t>(spec.devices())) {}

  Job build() {
    for (std::int32_t device = 0; device < devices_; ++device) {
      job_.devices.push_back(
          fmt::format("node {} device {}", device / per_node_, device % per_node_));
      ready_.push_back(add_accumulation(device));
    }
    add_links();
    if (per_node_ > 1)
      for (std::int32_t node = 0; node < spec_.nodes; ++node) reduce_inside(node);
    if (spec_.nodes > 1) reduce_over_all();
    job_.by_construction = run_.fidelity == Fidelity::formula && devices_ > 1;
    job_.operations = spec_.devices() * spec_.accumulation_steps;
    job_.graph = std::move(builder_).build();
    for (const Task& task : job_.graph.tasks()) job_.messages += task.kind == TaskKind::message;
    return std::move(job_);
  }

 private:
  TaskId add_accumulation(std::int32_t device) {
    TaskId last = 0;
    for (std::int64_t step = 0; step < spec_.accumulation_steps; ++step) {
      Task task;
      task.kind = TaskKind::compute;
      task.seconds = spec_.step_time.si();
      task.device = device;
      task.microbatch = static_cast<std::int32_t>(step);
      task.stream = Stream::compute;
      const TaskId id = builder_.add(task);
      if (step > 0) builder_.depend(last, id);
      last = id;
    }
    return last;
  }

  void add_links() {
    for (const std::string& device : job_.devices) {
      const double intra = spec_.intra_bandwidth.si();
      node_out_.push_back(job_.network.add_link(device + " out", intra));
      node_in_.push_back(job_.network.add_link(device + " in", intra));
    }
    if (spec_.nodes == 1) return;
    for (const std::string& device : job_.devices) {
      const double inter = spec_.inter_bandwidth.value().si();
      nic_out_.push_back(job_.network.add_link(device + " NIC out", inter));
      nic_in_.push_back(job_.network.add_link(device + " NIC in", inter));
    }
  }

  // Exclusive: the two rings follow each other on a device, and no two hops share a port.
  Hop hop(std::int32_t from, std::int32_t to) {
    const auto [found, made] = routes_.try_emplace({from, to}, no_route);
    if (made) {
      const bool inside = from / per_node_ == to / per_node_;
      const auto source = static_cast<std::size_t>(from);
      const auto target = static_cast<std::size_t>(to);
      found->second = job_.network.add_route(
          {(inside ? node_out_ : nic_out_)[source], (inside ? node_in_ : nic_in_)[target]}, true);
    }
    return Hop{found->second, 0.0};
  }

  CollectiveCall call_for(std::int32_t first, std::int32_t count, Seconds closed_form) {
    CollectiveCall call;
    call.algorithm = run_.algorithm;
    call.fidelity = run_.fidelity;
    call.shape = {count, count};
    call.bytes = size_at(spec_.workload, spec_.precision).si();
    call.closed_form = closed_form;
    for (std::int32_t device = first; device < first + count; ++device) {
      call.devices.push_back(device);
      call.ready.push_back(ready_[static_cast<std::size_t>(device)]);
    }
    call.hop = [this, first](std::int32_t from, std::int32_t to) {
      return hop(first + from, first + to);
    };
    return call;
  }

  void reduce_inside(std::int32_t node) {
    const std::int32_t first = node * per_node_;
    const auto done = add_collective(builder_, call_for(first, per_node_, run_.intra_closed_form));
    std::copy(done.begin(), done.end(), ready_.begin() + first);
  }

  void reduce_over_all() {
    ready_ = add_collective(builder_, call_for(0, devices_, run_.inter_closed_form));
  }

  const DataParallelScaleOutSpec& spec_;
  const ScaleOutRun& run_;
  std::int32_t per_node_;
  std::int32_t devices_;
  Job job_;
  TaskGraphBuilder builder_;
  std::vector<TaskId> ready_;  // by device: what its next phase follows
  std::vector<LinkId> node_out_, node_in_, nic_out_, nic_in_;
  std::map<std::pair<std::int32_t, std::int32_t>, RouteId> routes_;
};

}  // namespace

Job lower_data_parallel_scale_out(const DataParallelScaleOutSpec& spec, const ScaleOutRun& run) {
  return ScaleOutLowering(spec, run).build();
}

double task_count(const DataParallelScaleOutSpec& spec, const ScaleOutRun& run) {
  const auto devices = static_cast<double>(spec.devices());
  const auto nodes = static_cast<double>(spec.nodes);
  double tasks = devices * static_cast<double>(spec.accumulation_steps);
  if (spec.devices_per_node > 1)
    tasks += nodes * collective_tasks(*run.algorithm, run.fidelity,
                                      {spec.devices_per_node, spec.devices_per_node});
  if (spec.nodes > 1)
    tasks += collective_tasks(*run.algorithm, run.fidelity, {spec.devices(), spec.devices()});
  return tasks;
}

}  // namespace lockstep
