// SPDX-License-Identifier: Apache-2.0
// Runs a function in a forked child and brings its bytes, or its failure, back by a pipe.
// Layer: sim/engine (platforms only).
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace lockstep {

/// Runs `work` in a child process; what it passes to `send` arrives here in order.
///
/// receive  called in this process with each block of bytes, before the child has ended
/// Throws what the child threw as Error (kind and diagnostics kept); Error(simulation) with the
/// last words of its standard error when it was killed or ended in any other way. No thread may
/// run.
void run_isolated(
    const std::function<void(const std::function<void(const void*, std::size_t)>& send)>& work,
    const std::function<void(const char*, std::size_t)>& receive);

}  // namespace lockstep
