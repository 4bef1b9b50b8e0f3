// SPDX-License-Identifier: Apache-2.0
// The one exception type of lockstep, and the collection of many problems at once.
// Layer: platforms (standard library only).
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep {

/// Whose fault a failure is. `main` maps a kind to the exit code of the program; nothing else
/// exits.
enum class ErrorKind {
  input,        ///< a file, key or option is wrong                          (exit 2)
  unsupported,  ///< valid, but lockstep does not model it                   (exit 3)
  simulation,   ///< the run could not finish: deadlock, the engine died     (exit 4)
  io,           ///< a file could not be read or written                     (exit 5)
  internal,     ///< a bug of lockstep                                       (exit 70)
};

/// "input", "unsupported", ...: the word used in JSON error documents.
[[nodiscard]] const char* name_of(ErrorKind kind);

/// The exit code that the program ends with for this kind of failure.
[[nodiscard]] int exit_code_of(ErrorKind kind);

/// One problem: where it is, what is wrong, what would be right.
struct Diagnostic {
  std::string where;    ///< "file:line:column", "file:/json/pointer", or the option; may be empty
  std::string message;  ///< what is wrong
  std::string hint;     ///< what would be right; may be empty
};

/// A failure that ends the command. Carries at least one diagnostic.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message, std::string where = {}, std::string hint = {});
  Error(ErrorKind kind, std::vector<Diagnostic> diagnostics);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ErrorKind kind_;
  std::vector<Diagnostic> diagnostics_;
};

/// Collects the problems of an input, so that a user sees them all in one run: the first hundred,
/// and how many more there were.
class Diagnostics {
 public:
  void add(std::string where, std::string message, std::string hint = {});
  [[nodiscard]] bool empty() const { return items_.empty(); }
  /// How many there were, kept or not.
  [[nodiscard]] std::size_t size() const { return items_.size() + left_out_; }
  /// True when what is added now is only counted.
  [[nodiscard]] bool full() const { return items_.size() >= most_kept; }
  /// Throws Error(input) with everything collected, or returns when there is nothing.
  void throw_if_any() const;

 private:
  static constexpr std::size_t most_kept = 100;
  std::vector<Diagnostic> items_;
  std::size_t left_out_ = 0;
};

/// "where: message (hint)", the form in which a diagnostic is shown to a person.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

namespace detail {
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& message);
}  // namespace detail

}  // namespace lockstep

/// A condition that only a bug of lockstep can break. Always on; throws Error(internal).
#define LOCKSTEP_CHECK(condition, message)                                              \
  do {                                                                                  \
    if (!(condition))                                                                   \
      ::lockstep::detail::check_failed(__FILE_NAME__, __LINE__, #condition, (message)); \
  } while (false)
