// SPDX-License-Identifier: Apache-2.0
// A trace file of a run.
// Layer: sim/app.
#pragma once
#include <string>

#include "lockstep/platforms/output_file.hpp"
#include "lockstep/sim/scenario.hpp"
#include "lockstep/traces/timeline.hpp"
#include "lockstep/traces/writer.hpp"

namespace lockstep::app {

/// A trace to be written: the path is checked and the file opened before the run.
class TraceFile {
 public:
  /// Throws Error(input) for an unknown extension, Error(io) when it cannot be opened.
  explicit TraceFile(const std::string& path);
  /// Writes the timeline and puts the file in place.
  void write(const Timeline& timeline, const Scenario& scenario);

 private:
  const WriterInfo& writer_;
  OutputFile file_;
};

}  // namespace lockstep::app
