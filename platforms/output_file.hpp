// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all.
// Layer: platforms (standard library, zlib in the .cpp).
#pragma once
#include <memory>
#include <ostream>
#include <string>

namespace lockstep {

/// An output file, opened before a run starts so that a bad path fails at once. What is written
/// goes to a temporary name in the same folder; `commit` flushes, fsyncs and renames it into place.
/// Without `commit` (an error, a signal handled by unwinding) the temporary file is removed and an
/// older file of that name stays as it was. Compresses with gzip when the name ends in ".gz" (no
/// time stamp or name in the header: same input, same bytes).
///
/// The mode is that of the older file, else what the umask gives. A link is followed. What is not a
/// regular file (a device, a FIFO) or is this program's own standard output is written directly.
class OutputFile {
 public:
  /// Throws Error(io) naming the path when it cannot be opened for writing, is a folder, or its
  /// folder does not exist.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream();
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Throws Error(io) when any write failed (disk full, ...); the older file is then intact.
  void commit();

 private:
  struct State;
  std::string path_;
  std::unique_ptr<State> state_;
};

/// Removes the temporary files of all OutputFile objects that are alive in this process (not in a
/// forked child). Async-signal-safe: for a signal handler that then ends the program.
void remove_unfinished_outputs() noexcept;

}  // namespace lockstep
