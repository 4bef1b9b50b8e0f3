// SPDX-License-Identifier: Apache-2.0
// The storage behind TaskGraph; for the .cpp files of this folder only.
// Layer: sim/graph (Boost.Graph).
#pragma once
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/sim/graph/task_graph.hpp"

namespace lockstep {

struct TaskGraph::Csr {
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::uint32_t>;
  Graph graph;
};

/// Opens the storage to the algorithms of this folder.
struct GraphAccess {
  using Graph = TaskGraph::Csr::Graph;
  [[nodiscard]] static const Graph& csr(const TaskGraph& graph) { return graph.csr_->graph; }
};

namespace detail {

/// "A waits for B, which waits for C, which waits for A"; the middle of a long cycle is counted,
/// not told.
[[nodiscard]] std::string waiting_text(const TaskGraph& graph, std::span<const TaskId> cycle);

}  // namespace detail
}  // namespace lockstep
