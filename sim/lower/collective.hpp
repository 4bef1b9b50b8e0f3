// SPDX-License-Identifier: Apache-2.0
// Collectives become messages in a task graph.
// Layer: sim/lower.
#pragma once
#include <functional>
#include <vector>

#include "lockstep/analytic/specs/collective.hpp"
#include "lockstep/sim/collectives/collective.hpp"
#include "lockstep/sim/lower/job.hpp"

namespace lockstep {

/// The way from one rank to another.
struct Hop {
  RouteId route = no_route;
  double latency = 0.0;  ///< s, >= 0
};

/// One collective among some ranks.
struct CollectiveCall {
  const CollectiveInfo* algorithm = nullptr;
  CollectiveShape shape;
  Fidelity fidelity = Fidelity::flows;
  double bytes = 0.0;                                  ///< of each rank's message
  std::vector<std::int32_t> devices;                   ///< the device of each rank
  std::vector<TaskId> ready;                           ///< a rank sends after this; empty: at once
  Stream stream = Stream::data;                        ///< where its messages are drawn
  std::function<Hop(std::int32_t, std::int32_t)> hop;  ///< between ranks
  Seconds closed_form;                                 ///< the duration at fidelity `formula`
};

/// Adds the tasks of a collective. Returns for each rank the task after which it has the result.
std::vector<TaskId> add_collective(TaskGraphBuilder& builder, const CollectiveCall& call);

/// Adds a task that takes no time and follows all of `before`.
TaskId add_join(TaskGraphBuilder& builder, const std::vector<TaskId>& before);

/// The `[simulation]` table of kind "collective".
struct CollectiveRun {
  const CollectiveInfo* algorithm = nullptr;
  Fidelity fidelity = Fidelity::flows;
  std::int64_t concurrent = 1;  ///< equal collectives on the same links, all at once
  Seconds closed_form;          ///< used at fidelity `formula` only
};

[[nodiscard]] CollectiveShape shape_of(const CollectiveSpec& spec);

/// n ranks, each with a port out and a port in of its node (and a NIC when nodes matter);
/// `concurrent` collectives.
[[nodiscard]] Job lower_collective(const CollectiveSpec& spec, const CollectiveRun& run);
[[nodiscard]] double task_count(const CollectiveSpec& spec, const CollectiveRun& run);

}  // namespace lockstep
