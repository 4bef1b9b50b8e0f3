// SPDX-License-Identifier: Apache-2.0
// Trace writers: one file and one line in writers/writers.def each.
// Layer: traces (may include platforms only).
#pragma once
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/traces/timeline.hpp"

namespace lockstep {

/// What a trace file says about the run it shows.
struct TraceMetadata {
  std::string title;                                         ///< the scenario's name
  std::vector<std::pair<std::string, std::string>> details;  ///< shown in order, key and text
};

/// A trace format. `write` is pure: it opens nothing and knows no file names.
struct WriterInfo {
  std::string_view name;       ///< as in `lockstep list writers`
  std::string_view extension;  ///< ".json": chosen by the name of the output file (".gz" aside)
  std::string_view summary;    ///< one line: which viewers read it
  void (*write)(const Timeline& timeline, const TraceMetadata& metadata, std::ostream& out);
};

/// All writers, in the order of writers.def.
[[nodiscard]] std::span<const WriterInfo* const> writers();

/// The writer for a file name by its extension, ".gz" taken off first.
/// Throws Error(input) that lists the known extensions.
[[nodiscard]] const WriterInfo& writer_for_file(std::string_view file_name);

}  // namespace lockstep
