// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/lower/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

constexpr TaskId no_task = ~TaskId{0};

TaskId add_join(TaskGraphBuilder& builder, const std::vector<TaskId>& before) {
  Task task;
  task.kind = TaskKind::join;
  const TaskId join = builder.add(task);
  for (const TaskId earlier : before) builder.depend(earlier, join);
  return join;
}

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

// A ring edge moves all its bytes as one flow; the ring ends when its slowest edge has, and a phase
// starts when all ranks are there: that is what the joins say.
std::vector<TaskId> add_flows(TaskGraphBuilder& builder, const CollectiveCall& call) {
  const auto ranks = static_cast<std::int64_t>(call.devices.size());
  TaskId phase_start = add_join(builder, call.ready);
  std::int32_t phase = 0;
  std::vector<TaskId> running;
  for (const CollectiveFlow& flow : call.algorithm->flows(ranks)) {
    if (flow.phase != phase) {
      phase_start = add_join(builder, running);
      running.clear();
      phase = flow.phase;
    }
    const TaskId id = builder.add(
        message_task(call, flow.from, flow.to, flow.share, static_cast<double>(flow.messages)));
    builder.depend(phase_start, id);
    running.push_back(id);
  }
  if (running.empty()) running.push_back(phase_start);
  return std::vector<TaskId>(call.devices.size(), add_join(builder, running));
}

// Each rank sends one message at a time, and a part only when all it received of it has come.
std::vector<TaskId> add_steps(TaskGraphBuilder& builder, const CollectiveCall& call) {
  const std::size_t ranks = call.devices.size();
  std::vector<TaskId> last_send(ranks, no_task);
  std::vector<std::map<std::int32_t, TaskId>> last_from(ranks);                   // by sender
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<TaskId>> received;  // rank, part
  for (std::size_t rank = 0; rank < ranks && rank < call.ready.size(); ++rank)
    last_send[rank] = call.ready[rank];
  for (const CollectiveMessage& message :
       call.algorithm->messages(static_cast<std::int64_t>(ranks))) {
    const auto from = static_cast<std::size_t>(message.from);
    const auto to = static_cast<std::size_t>(message.to);
    const TaskId id = builder.add(message_task(call, message.from, message.to, message.share, 1.0));
    if (last_send[from] != no_task) builder.depend(last_send[from], id);
    const auto needed = received.find({message.from, message.part});
    if (needed != received.end()) {
      for (const TaskId earlier : needed->second) builder.depend(earlier, id);
      received.erase(needed);
    }
    last_send[from] = id;
    last_from[to][message.from] = id;
    received[{message.to, message.part}].push_back(id);
  }
  std::vector<TaskId> done;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<TaskId> last;
    if (last_send[rank] != no_task) last.push_back(last_send[rank]);
    for (const auto& [sender, id] : last_from[rank]) last.push_back(id);
    done.push_back(add_join(builder, last));
  }
  return done;
}

}  // namespace

std::vector<TaskId> add_collective(TaskGraphBuilder& builder, const CollectiveCall& call) {
  LOCKSTEP_CHECK(call.ready.empty() || call.ready.size() == call.devices.size(),
                 "a collective needs one ready task a rank, or none");
  switch (call.fidelity) {
    case Fidelity::formula:
      return add_formula(builder, call);
    case Fidelity::flows:
      return add_flows(builder, call);
    case Fidelity::steps:
      return add_steps(builder, call);
  }
  return {};
}

double collective_tasks(const CollectiveInfo& algorithm, Fidelity fidelity, std::int64_t ranks) {
  if (fidelity == Fidelity::steps) return algorithm.message_count(ranks);
  return static_cast<double>(ranks);
}

double task_count(const CollectiveSpec& spec, const CollectiveRun& run) {
  return static_cast<double>(run.concurrent) *
         collective_tasks(*run.algorithm, run.fidelity, spec.ranks);
}

Job lower_collective(const CollectiveSpec& spec, const CollectiveRun& run) {
  Job job;
  job.by_construction = run.fidelity == Fidelity::formula;
  job.contended = run.concurrent > 1 && !job.by_construction;
  const auto ranks = static_cast<std::int32_t>(spec.ranks);
  std::vector<LinkId> out;
  std::vector<LinkId> in;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    out.push_back(job.network.add_link(fmt::format("rank {} out", rank), spec.bandwidth.si()));
    in.push_back(job.network.add_link(fmt::format("rank {} in", rank), spec.bandwidth.si()));
  }
  std::map<std::pair<std::int32_t, std::int32_t>, RouteId> routes;
  const auto hop = [&](std::int32_t from, std::int32_t to) {
    const auto [found, made] = routes.try_emplace({from, to}, no_route);
    if (made)
      found->second = job.network.add_route(
          {out[static_cast<std::size_t>(from)], in[static_cast<std::size_t>(to)]}, !job.contended);
    return Hop{found->second, spec.latency.si()};
  };
  TaskGraphBuilder builder;
  for (std::int64_t copy = 0; copy < run.concurrent; ++copy) {
    CollectiveCall call;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      call.devices.push_back(static_cast<std::int32_t>(job.devices.size()));
      job.devices.push_back(run.concurrent == 1
                                ? fmt::format("rank {}", rank)
                                : fmt::format("rank {} of collective {}", rank, copy));
    }
    call.algorithm = run.algorithm;
    call.fidelity = run.fidelity;
    call.bytes = spec.message.si();
    call.hop = hop;
    call.closed_form = run.closed_form;
    add_collective(builder, call);
  }
  job.graph = std::move(builder).build();
  for (const Task& task : job.graph.tasks()) job.messages += task.kind == TaskKind::message;
  return job;
}

}  // namespace lockstep
