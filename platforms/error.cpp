// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/error.hpp"

#include <utility>

namespace lockstep {
namespace {

std::string all_texts(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& item : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_text(item);
  }
  return text;
}

}  // namespace

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input:
      return "input";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::simulation:
      return "simulation";
    case ErrorKind::io:
      return "io";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input:
      return 2;
    case ErrorKind::unsupported:
      return 3;
    case ErrorKind::simulation:
      return 4;
    case ErrorKind::io:
      return 5;
    case ErrorKind::internal:
      return 70;
  }
  return 70;
}

Error::Error(ErrorKind kind, std::string message, std::string where, std::string hint)
    : Error(kind, std::vector<Diagnostic>{
                      Diagnostic{std::move(where), std::move(message), std::move(hint)}}) {}

Error::Error(ErrorKind kind, std::vector<Diagnostic> diagnostics)
    : std::runtime_error(all_texts(diagnostics)),
      kind_(kind),
      diagnostics_(std::move(diagnostics)) {}

void Diagnostics::add(std::string where, std::string message, std::string hint) {
  if (full())
    ++left_out_;
  else
    items_.push_back(Diagnostic{std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::throw_if_any() const {
  if (items_.empty()) return;
  std::vector<Diagnostic> all = items_;
  if (left_out_ > 0) all.push_back({{}, "... and " + std::to_string(left_out_) + " more", {}});
  throw Error(ErrorKind::input, std::move(all));
}

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = diagnostic.where.empty() ? "" : diagnostic.where + ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += " (" + diagnostic.hint + ")";
  return text;
}

namespace detail {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  throw Error(ErrorKind::internal, message,
              std::string(file) + ":" + std::to_string(line) + ": " + condition,
              "this is a bug of lockstep; please report it with the input");
}

}  // namespace detail
}  // namespace lockstep
