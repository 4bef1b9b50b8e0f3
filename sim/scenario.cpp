// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/platforms/error.hpp"

namespace lockstep {

RunFigures run_figures(const Job& job, const TaskTimes& times) {
  RunFigures figures;
  figures.makespan = times.last_end();
  long double busy = 0.0L;  // millions of terms
  std::vector<bool> computes(job.devices.size(), false);
  for (TaskId id = 0; id < job.graph.size(); ++id) {
    const Task& task = job.graph.task(id);
    if (task.stream != Stream::compute) continue;
    computes[static_cast<std::size_t>(task.device)] = true;
    busy += static_cast<long double>(times.end[id]) - static_cast<long double>(times.start[id]);
    figures.last_compute = std::max(figures.last_compute, times.end[id]);
  }
  figures.busy = static_cast<double>(busy);
  figures.computing = std::count(computes.begin(), computes.end(), true);
  const double offered = static_cast<double>(figures.computing) * figures.makespan;
  figures.bubble = offered > 0.0 ? 1.0 - figures.busy / offered : 0.0;
  return figures;
}

std::vector<Figure> Scenario::measured(const Job&, const TaskTimes& times) const {
  return {{"makespan_s", times.last_end()}};
}

namespace {

void require_few(double flows, double limit, const char* which, const std::string& where) {
  if (flows <= limit) return;
  throw Error(
      ErrorKind::input,
      fmt::format("needs {:.0f} flows at once {}, above the limit of {:.0f}", flows, which, limit),
      where,
      "the time of a run grows with their square; take fewer ranks or concurrent "
      "collectives");
}

}  // namespace

void require_runnable(const Scenario& scenario, double task_limit) {
  const std::string where = scenario.where.empty() ? scenario.name : scenario.where;
  const std::string reason = scenario.not_simulated();
  if (!reason.empty()) throw Error(ErrorKind::unsupported, reason, where);
  const double tasks = scenario.tasks();
  if (!(tasks <= task_limit))
    throw Error(ErrorKind::input,
                fmt::format("needs {:.0f} operations and messages, above the limit of {:.0f}",
                            tasks, task_limit),
                where,
                "predict has no such limit; raise it with --max-tasks if memory allows (0.2 to "
                "1 kB a task)");
  require_few(scenario.shared_flows(), most_shared_flows, "on shared links", where);
  require_few(scenario.lone_flows(), most_lone_flows, "on links of their own", where);
}

}  // namespace lockstep
