// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "lockstep/platforms/error.hpp"
#include "lockstep/traces/writer.hpp"

namespace lockstep {

#define LOCKSTEP_WRITER(unit) extern const WriterInfo writer_##unit;
#include "lockstep/traces/writers/writers.def"
#undef LOCKSTEP_WRITER

std::span<const WriterInfo* const> writers() {
  static const WriterInfo* const table[] = {
#define LOCKSTEP_WRITER(unit) &writer_##unit,
#include "lockstep/traces/writers/writers.def"
#undef LOCKSTEP_WRITER
  };
  return table;
}

const WriterInfo& writer_for_file(std::string_view file_name) {
  std::string_view plain = file_name;
  if (plain.ends_with(".gz")) plain.remove_suffix(3);
  const WriterInfo* best = nullptr;  // of ".json" and ".tree.json" the longer one is meant
  std::string known;
  for (const WriterInfo* writer : writers()) {
    known += (known.empty() ? "known: " : ", ") + std::string(writer->extension);
    if (plain.ends_with(writer->extension) &&
        (best == nullptr || writer->extension.size() > best->extension.size()))
      best = writer;
  }
  if (best == nullptr)
    throw Error(ErrorKind::input, "no trace format has this file extension", std::string(file_name),
                known + ", each also with .gz");
  return *best;
}

}  // namespace lockstep
