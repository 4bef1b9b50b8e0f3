// SPDX-License-Identifier: Apache-2.0
// The `[simulation]` table of a scenario, and its keys that several kinds share.
// Layer: sim/kinds.
#pragma once
#include <functional>
#include <string_view>

#include "lockstep/platforms/table_reader.hpp"
#include "lockstep/sim/collectives/collective.hpp"
#include "lockstep/sim/lower/job.hpp"

namespace lockstep {

/// Reads the table (empty when absent) with `read`, checks for unknown keys, and echoes it.
void read_simulation(TableReader& scenario, const std::function<void(TableReader&)>& read);

/// `fidelity`: formula, flows (default) or steps.
[[nodiscard]] Fidelity read_fidelity(TableReader& simulation);

}  // namespace lockstep
