// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/app/trace.hpp"

#include "lockstep/sim/app/output.hpp"

namespace lockstep::app {

TraceFile::TraceFile(const std::string& path) : writer_(writer_for_file(path)), file_(path) {}

void TraceFile::write(const Timeline& timeline, const Scenario& scenario) {
  TraceMetadata metadata;
  metadata.title = scenario.name;
  metadata.details = {{"lockstep", LOCKSTEP_VERSION},
                      {"scenario", to_json(Value(scenario_table(scenario)))}};
  writer_.write(timeline, metadata, file_.stream());
  file_.commit();
}

}  // namespace lockstep::app
