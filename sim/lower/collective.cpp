// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/lower/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

constexpr TaskId no_task = ~TaskId{0};

Task message_task(const CollectiveCall& call, std::int32_t from, std::int32_t to, double share,
                  double messages) {
  const Hop hop = call.hop(from, to);
  Task task;
  task.kind = TaskKind::message;
  task.route = hop.route;
  task.seconds = messages * hop.latency;
  task.bytes = share * call.bytes;
  task.device = call.devices[static_cast<std::size_t>(from)];
  task.peer = call.devices[static_cast<std::size_t>(to)];
  task.stream = call.stream;
  return task;
}

std::vector<TaskId> add_formula(TaskGraphBuilder& builder, const CollectiveCall& call) {
  const TaskId start = add_join(builder, call.ready);
  std::vector<TaskId> done;
  for (const std::int32_t device : call.devices) {
    Task task;
    task.kind = TaskKind::collective;
    task.seconds = call.closed_form.si();
    task.device = device;
    task.stream = call.stream;
    done.push_back(builder.add(task));
    builder.depend(start, done.back());
  }
  return done;
}

// An edge moves all its bytes of a phase as one flow; a phase ends when its slowest edge has, and
// the next starts when all ranks are there: that is what the joins say.
std::vector<TaskId> add_flows(TaskGraphBuilder& builder, const CollectiveCall& call) {
  TaskId phase_start = add_join(builder, call.ready);
  std::int32_t phase = 0;
  std::vector<TaskId> running;
  for (const CollectiveFlow& flow : call.algorithm->flows(call.shape)) {
    if (flow.phase != phase && !running.empty()) {
      phase_start = add_join(builder, running);
      running.clear();
    }
    phase = flow.phase;
    const TaskId id = builder.add(
        message_task(call, flow.from, flow.to, flow.share, static_cast<double>(flow.messages)));
    builder.depend(phase_start, id);
    running.push_back(id);
  }
  if (running.empty()) running.push_back(phase_start);
  return std::vector<TaskId>(call.devices.size(), add_join(builder, running));
}

// Each rank sends one message at a time, and parts only when all it received of them has come.
class StepLowering {
 public:
  StepLowering(TaskGraphBuilder& builder, const CollectiveCall& call)
      : builder_(builder),
        call_(call),
        last_send_(call.devices.size(), no_task),
        last_from_(call.devices.size()) {
    for (std::size_t rank = 0; rank < call.ready.size(); ++rank)
      last_send_[rank] = call.ready[rank];
  }

  std::vector<TaskId> build() {
    for (const CollectiveMessage& message : call_.algorithm->messages(call_.shape)) {
      if (call_.algorithm->steps_in_sequence && message.step != step_ && !of_step_.empty()) {
        step_start_ = add_join(builder_, of_step_);
        of_step_.clear();
      }
      step_ = message.step;
      add(message);
    }
    std::vector<TaskId> done;
    for (std::size_t rank = 0; rank < call_.devices.size(); ++rank) {
      std::vector<TaskId> last;
      if (last_send_[rank] != no_task) last.push_back(last_send_[rank]);
      for (const auto& [sender, id] : last_from_[rank]) last.push_back(id);
      done.push_back(add_join(builder_, last));
    }
    return done;
  }

 private:
  void add(const CollectiveMessage& message) {
    const auto from = static_cast<std::size_t>(message.from);
    const auto to = static_cast<std::size_t>(message.to);
    const TaskId id =
        builder_.add(message_task(call_, message.from, message.to, message.share, 1.0));
    if (last_send_[from] != no_task) builder_.depend(last_send_[from], id);
    if (step_start_ != no_task) builder_.depend(step_start_, id);
    TaskId previous = no_task;  // many parts may have come by one message
    for (std::int32_t part = message.part; part < message.part + message.parts; ++part) {
      const auto needed = received_.find({message.from, part});
      if (needed == received_.end()) continue;
      for (const TaskId earlier : needed->second)
        if (earlier != previous) builder_.depend(previous = earlier, id);
      received_.erase(needed);
    }
    for (std::int32_t part = message.part; part < message.part + message.parts; ++part)
      received_[{message.to, part}].push_back(id);
    last_send_[from] = id;
    last_from_[to][message.from] = id;
    if (call_.algorithm->steps_in_sequence) of_step_.push_back(id);
  }

  TaskGraphBuilder& builder_;
  const CollectiveCall& call_;
  std::vector<TaskId> last_send_;                          // by rank
  std::vector<std::map<std::int32_t, TaskId>> last_from_;  // by rank, then sender
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<TaskId>> received_;  // rank, part
  std::vector<TaskId> of_step_;
  TaskId step_start_ = no_task;
  std::int32_t step_ = 0;
};

}  // namespace

TaskId add_join(TaskGraphBuilder& builder, const std::vector<TaskId>& before) {
  Task task;
  task.kind = TaskKind::join;
  const TaskId join = builder.add(task);
  for (const TaskId earlier : before) builder.depend(earlier, join);
  return join;
}

std::vector<TaskId> add_collective(TaskGraphBuilder& builder, const CollectiveCall& call) {
  LOCKSTEP_CHECK(call.ready.empty() || call.ready.size() == call.devices.size(),
                 "a collective needs one ready task a rank, or none");
  LOCKSTEP_CHECK(static_cast<std::size_t>(call.shape.ranks) == call.devices.size(),
                 "a collective needs one device a rank");
  switch (call.fidelity) {
    case Fidelity::formula:
      return add_formula(builder, call);
    case Fidelity::flows:
      return add_flows(builder, call);
    case Fidelity::steps:
      return StepLowering(builder, call).build();
  }
  return {};
}

CollectiveShape shape_of(const CollectiveSpec& spec) {
  return {spec.ranks, spec.per_node};
}

double task_count(const CollectiveSpec& spec, const CollectiveRun& run) {
  return static_cast<double>(run.concurrent) *
         collective_tasks(*run.algorithm, run.fidelity, shape_of(spec));
}

namespace {

// Ports and routes of ranks on nodes, shared by all concurrent collectives.
class RankPorts {
 public:
  RankPorts(const CollectiveSpec& spec, bool exclusive, Network& network)
      : spec_(spec), exclusive_(exclusive), network_(network) {}

  Hop hop(std::int32_t from, std::int32_t to) {
    const bool inside = from / spec_.per_node == to / spec_.per_node;
    const LinkClass& link = inside ? spec_.near : spec_.far;
    const auto [found, made] = routes_.try_emplace({from, to}, no_route);
    if (made)
      found->second = network_.add_route(
          {port(from, inside, true, link), port(to, inside, false, link)}, exclusive_);
    return {found->second, link.latency.si()};
  }

 private:
  LinkId port(std::int32_t rank, bool inside, bool out, const LinkClass& link) {
    const auto [found, made] = ports_.try_emplace({rank, inside, out}, 0);
    if (made)
      found->second = network_.add_link(
          fmt::format("rank {} {}{}", rank, inside ? "" : "NIC ", out ? "out" : "in"),
          link.rate.si());
    return found->second;
  }

  const CollectiveSpec& spec_;
  bool exclusive_;
  Network& network_;
  std::map<std::tuple<std::int32_t, bool, bool>, LinkId> ports_;
  std::map<std::pair<std::int32_t, std::int32_t>, RouteId> routes_;
};

}  // namespace

Job lower_collective(const CollectiveSpec& spec, const CollectiveRun& run) {
  Job job;
  job.by_construction = run.fidelity == Fidelity::formula;
  job.contended = run.concurrent > 1 && !job.by_construction;
  // In steps with changing partners a port serves several routes, one after the other: the links
  // are private, but a route is not, so these run as real flows.
  const bool exclusive = !job.contended && !run.algorithm->steps_in_sequence;
  RankPorts ports(spec, exclusive, job.network);
  TaskGraphBuilder builder;
  for (std::int64_t copy = 0; copy < run.concurrent; ++copy) {
    CollectiveCall call;
    for (std::int64_t rank = 0; rank < spec.ranks; ++rank) {
      call.devices.push_back(static_cast<std::int32_t>(job.devices.size()));
      job.devices.push_back(run.concurrent == 1
                                ? fmt::format("rank {}", rank)
                                : fmt::format("rank {} of collective {}", rank, copy));
    }
    call.algorithm = run.algorithm;
    call.shape = shape_of(spec);
    call.fidelity = run.fidelity;
    call.bytes = spec.message.si();
    call.hop = [&ports](std::int32_t from, std::int32_t to) { return ports.hop(from, to); };
    call.closed_form = run.closed_form;
    add_collective(builder, call);
  }
  job.graph = std::move(builder).build();
  for (const Task& task : job.graph.tasks()) job.messages += task.kind == TaskKind::message;
  return job;
}

}  // namespace lockstep
