// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/platforms/error.hpp"

namespace lockstep {

RunFigures run_figures(const Job& job, const TaskTimes& times) {
  RunFigures figures;
  figures.makespan = times.last_end();
  for (TaskId id = 0; id < job.graph.size(); ++id) {
    if (job.graph.task(id).stream != Stream::compute) continue;
    figures.busy += times.end[id] - times.start[id];
    figures.last_compute = std::max(figures.last_compute, times.end[id]);
  }
  const double offered = static_cast<double>(job.devices.size()) * figures.makespan;
  figures.bubble = offered > 0.0 ? 1.0 - figures.busy / offered : 0.0;
  return figures;
}

std::vector<Figure> Scenario::measured(const Job&, const TaskTimes& times) const {
  return {{"makespan_s", times.last_end()}};
}

void require_runnable(const Scenario& scenario, double task_limit) {
  const std::string reason = scenario.not_simulated();
  if (!reason.empty()) throw Error(ErrorKind::unsupported, reason, scenario.name);
  const double tasks = scenario.tasks();
  if (tasks > task_limit)
    throw Error(ErrorKind::input,
                fmt::format("needs {:.0f} operations and messages, above the limit of {:.0f}",
                            tasks, task_limit),
                scenario.name,
                "predict has no such limit; raise it with --max-tasks if memory allows (about "
                "200 bytes a task)");
}

}  // namespace lockstep
