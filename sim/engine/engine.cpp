// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_set>
#include <utility>

// version.h needs the macros of the headers above and does not include them itself.
#include <simgrid/version.h>

#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/engine/isolate.hpp"
#include "lockstep/sim/engine/scaling.hpp"
#include "lockstep/sim/engine/settings_check.hpp"
#include "lockstep/sim/engine/simgrid_platform.hpp"

namespace lockstep {
namespace {

namespace sg = simgrid::s4u;
using simgrid::kernel::timer::Timer;

constexpr TaskId nobody = std::numeric_limits<TaskId>::max();

/// One run of a graph in SimGrid; there is one a process. Dates are engine seconds.
///
/// A task whose end is known when it starts is a timer; one timer ends all tasks that are known to
/// end at its date when it is set, up to a small cache. A message over shared links is a timer for
/// its latency, then a Comm. Dates of timers are kept as they were set, not read off the clock, so
/// a run without flows has the very bits of the critical path.
class Run {
 public:
  Run(const TaskGraph& graph, const Network& network, const EngineOptions& options)
      : graph_(graph),
        network_(network),
        as_flows_(options.exclusive_as_flows),
        scaling_(detail::scaling_of(graph, network, as_flows_)),
        time_factor_(std::ldexp(1.0, scaling_.time_exponent)),
        engine_(detail::make_engine(detail::exact_settings())),
        hosts_(network, used_routes(), scaling_.size_exponent - scaling_.time_exponent),
        waiting_(graph.in_degrees()),
        times_{std::vector<double>(graph.size()), std::vector<double>(graph.size())},
        occupancy_(network.routes.size()) {}

  TaskTimes execute();

 private:
  struct Flow {
    sg::CommPtr comm;
    TaskId task = nobody;
  };
  struct Batch {
    double date = -1.0;
    TaskId last = nobody;
  };
  /// When the last message of an exclusive route occupies its links.
  struct Occupancy {
    double from = -1.0;
    double until = -1.0;
    TaskId task = nobody;
  };

  [[nodiscard]] bool is_flow(const Task& task) const {
    return scaling_.flows && task.bytes >= scaling_.least_bytes &&
           detail::is_flow(task, network_, as_flows_);
  }
  [[nodiscard]] std::vector<bool> used_routes() const;
  void start_ready(double now);
  void start(TaskId id, double now);
  void finish(TaskId id, double now);
  void end_at(TaskId id, double date);
  void end_batch(TaskId first);
  void begin_flow(TaskId id);
  void end_flow(const sg::Activity& activity);
  void occupy(TaskId id, const Task& task, double now);
  void guard(const auto& body);
  void require_complete() const;

  const TaskGraph& graph_;
  const Network& network_;
  bool as_flows_;
  detail::Scaling scaling_;
  double time_factor_;
  sg::Engine& engine_;
  detail::RouteHosts hosts_;
  /// How many tasks a task still waits for; once it runs, the next task of its batch.
  std::vector<std::uint32_t> waiting_;
  TaskTimes times_;
  std::vector<TaskId> ready_;
  std::array<Batch, 256> batches_{};
  std::vector<Occupancy> occupancy_;
  std::vector<Flow> flows_;
  std::vector<std::size_t> free_flows_;
  sg::CommPtr ended_;            // a Comm must outlive its own completion callback
  double payload_factor_ = 1.0;  // of the message that is being started
  std::size_t completed_ = 0;
  std::exception_ptr failure_;
};

std::vector<bool> Run::used_routes() const {
  std::vector<bool> used(network_.routes.size(), false);
  for (const Task& task : graph_.tasks())
    if (is_flow(task)) used[static_cast<std::size_t>(task.route)] = true;
  return used;
}

/// Exceptions must not cross SimGrid's frames: the first is kept, and the run left to peter out.
void Run::guard(const auto& body) {
  if (failure_) return;
  try {
    body();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

/// Starts what became ready, in that order; tasks that take no time make others ready at once, so
/// this is a queue and not a recursion.
void Run::start_ready(double now) {
  for (std::size_t at = 0; at < ready_.size(); ++at) start(ready_[at], now);
  ready_.clear();
}

void Run::finish(TaskId id, double now) {
  times_.end[id] = now;
  ++completed_;
  for (const TaskId next : graph_.successors(id))
    if (--waiting_[next] == 0) ready_.push_back(next);
}

void Run::start(TaskId id, double now) {
  const Task& task = graph_.task(id);
  times_.start[id] = now;
  const bool on_exclusive_route =
      task.route != no_route && network_.routes[static_cast<std::size_t>(task.route)].exclusive;
  if (on_exclusive_route) occupy(id, task, now);
  const bool flow = is_flow(task);
  const double seconds = flow ? task.seconds : uncontended_seconds(task, network_);
  const double date = now + seconds * time_factor_;
  if (!std::isfinite(date))
    throw Error(ErrorKind::simulation,
                "the simulated time exceeds the largest number at " + label_of(task));
  if (date > now)
    end_at(id, date);
  else if (flow)
    begin_flow(id);
  else
    finish(id, now);
}

/// Ends the task, or the latency of the message, at a date to come.
void Run::end_at(TaskId id, double date) {
  waiting_[id] = nobody;
  times_.end[id] = date;
  const auto bits = std::bit_cast<std::uint64_t>(date);
  Batch& batch = batches_[(bits * 0x9E3779B97F4A7C15U) >> 56U];
  // A batch that has fired lies in the past, so its date cannot come again.
  if (batch.date == date) {
    waiting_[batch.last] = id;
  } else {
    Timer::set(date, [this, id] { guard([this, id] { end_batch(id); }); });
    batch.date = date;
  }
  batch.last = id;
}

void Run::end_batch(TaskId first) {
  const double now = times_.end[first];
  for (TaskId id = first; id != nobody;) {
    const TaskId next = waiting_[id];
    if (is_flow(graph_.task(id)))
      begin_flow(id);
    else
      finish(id, now);
    id = next;
  }
  start_ready(now);
}

void Run::begin_flow(TaskId id) {
  const Task& task = graph_.task(id);
  std::size_t slot = flows_.size();
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    slot = free_flows_.back();
    free_flows_.pop_back();
  }
  const detail::Payload payload = detail::payload_of(task.bytes, scaling_);
  payload_factor_ = std::ldexp(1.0, payload.finer_exponent);
  sg::CommPtr comm = sg::Comm::sendto_init(hosts_.source(task.route), hosts_.target(task.route));
  comm->set_payload_size(payload.count);
  comm->set_data(reinterpret_cast<void*>(slot));
  flows_[slot] = {comm, id};
  comm->vetoable_start();
}

void Run::end_flow(const sg::Activity& activity) {
  const auto slot = reinterpret_cast<std::size_t>(activity.get_data<void>());
  const TaskId id = flows_[slot].task;
  ended_ = std::move(flows_[slot].comm);
  free_flows_.push_back(slot);
  if (activity.get_state() != sg::Activity::State::FINISHED)
    throw Error(ErrorKind::simulation, label_of(graph_.task(id)) + " failed");
  const double now = sg::Engine::get_clock();
  finish(id, now);
  start_ready(now);
}

/// Checks the claim of an exclusive route: without it, timers would be wrong.
void Run::occupy(TaskId id, const Task& task, double now) {
  if (task.bytes <= 0.0) return;
  const double from = now + task.seconds * time_factor_;
  const double until = now + uncontended_seconds(task, network_) * time_factor_;
  const double rounding = 1e-12 * until;
  Occupancy& last = occupancy_[static_cast<std::size_t>(task.route)];
  if (last.until > from + rounding && last.from < until - rounding)
    throw Error(ErrorKind::internal,
                fmt::format("{} and {} are under way at once on a route that was called exclusive",
                            label_of(graph_.task(last.task)), label_of(task)),
                {}, "this is a bug of lockstep; please report it with the input");
  if (until > last.until) last = {from, until, id};
}

void Run::require_complete() const {
  if (completed_ == graph_.size()) return;
  for (const Flow& flow : flows_)
    if (flow.comm != nullptr)
      throw Error(ErrorKind::simulation,
                  label_of(graph_.task(flow.task)) + " never arrived: the engine stopped before");
  require_acyclic(graph_);
  throw Error(ErrorKind::internal, "the engine lost a task");
}

TaskTimes Run::execute() {
  sg::Activity::on_completion_cb(
      [this](const sg::Activity& activity) { guard([this, &activity] { end_flow(activity); }); });
  if (scaling_.flows)
    hosts_.zone()->get_network_model()->set_bw_factor_cb(
        [this](double, const sg::Host*, const sg::Host*, const std::vector<sg::Link*>&,
               const std::unordered_set<sg::NetZone*>&) { return payload_factor_; });
  Timer::set(0.0, [this] {
    guard([this] {
      for (TaskId id = 0; id < graph_.size(); ++id)
        if (waiting_[id] == 0) ready_.push_back(id);
      start_ready(0.0);
    });
  });
  engine_.run();
  if (failure_) std::rethrow_exception(failure_);
  require_complete();
  const double back = std::ldexp(1.0, -scaling_.time_exponent);
  for (double& time : times_.start) time *= back;
  for (double& time : times_.end) time *= back;
  return std::move(times_);
}

/// Valid inputs can still multiply to more than a double holds: that is the inputs' fault, not
/// ours.
void require_finite(const Task& task) {
  if (std::isfinite(task.seconds) && std::isfinite(task.bytes)) return;
  throw Error(ErrorKind::input,
              fmt::format("the inputs overflow: the {} of {} is {}",
                          std::isfinite(task.seconds) ? "size" : "duration", label_of(task),
                          std::isfinite(task.seconds) ? task.bytes : task.seconds),
              {}, "smaller times, sizes, latencies or counts, or faster links");
}

/// Refuses what would be undefined further down; true when a flow may be needed.
bool checked_for_flows(const TaskGraph& graph, const Network& network, bool as_flows) {
  for (const Link& link : network.links)
    if (link.bytes_per_second == 0.0 || !std::isfinite(link.bytes_per_second))
      throw Error(ErrorKind::input,
                  fmt::format("the inputs {}: the rate of link {} is {} B/s",
                              link.bytes_per_second == 0.0 ? "underflow" : "overflow", link.name,
                              link.bytes_per_second));
  network.check();
  bool flows = false;
  for (const Task& task : graph.tasks()) {
    require_finite(task);
    LOCKSTEP_CHECK(task.seconds >= 0.0 && task.bytes >= 0.0,
                   label_of(task) + " has no duration or size");
    LOCKSTEP_CHECK(
        task.route >= no_route && (task.route == no_route ||
                                   static_cast<std::size_t>(task.route) < network.routes.size()),
        label_of(task) + " takes a route that does not exist");
    flows = flows || detail::is_flow(task, network, as_flows);
  }
  return flows;
}

TaskTimes run_here(const TaskGraph& graph, const Network& network, const EngineOptions& options) {
  // Never destroyed: SimGrid keeps pointers into it, and dies when a running Comm is dropped.
  Run* run = std::make_unique<Run>(graph, network, options).release();
  return run->execute();
}

}  // namespace

TaskTimes simulate(const TaskGraph& graph, const Network& network, const EngineOptions& options) {
  const bool flows = checked_for_flows(graph, network, options.exclusive_as_flows);
  if (graph.size() == 0) return {};
  if (flows) detail::require_exact_settings();
  if (options.in_process) {
    static bool ran = false;
    LOCKSTEP_CHECK(!std::exchange(ran, true), "a second simulation in one process");
    return run_here(graph, network, options);
  }
  TaskTimes times;
  const std::size_t half = graph.size() * sizeof(double);
  std::size_t filled = 0;
  const auto receive = [&](const char* data, std::size_t size) {
    if (times.start.empty()) {  // not before the fork: pages written later would be copied
      times.start.resize(graph.size());
      times.end.resize(graph.size());
    }
    const std::size_t first = filled < half ? std::min(size, half - filled) : 0;
    if (first > 0) std::memcpy(reinterpret_cast<char*>(times.start.data()) + filled, data, first);
    filled += first;
    if (size > first)
      std::memcpy(reinterpret_cast<char*>(times.end.data()) + (filled - half), data + first,
                  size - first);
    filled += size - first;
  };
  run_isolated(
      [&](const auto& send) {
        const TaskTimes made = run_here(graph, network, options);
        send(made.start.data(), half);
        send(made.end.data(), half);
      },
      receive);
  LOCKSTEP_CHECK(filled == 2 * half, "the simulation process sent too little");
  return times;
}

std::string engine_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return patch == 0 ? fmt::format("{}.{}", major, minor)
                    : fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace lockstep
