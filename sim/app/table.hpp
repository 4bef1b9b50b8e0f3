// SPDX-License-Identifier: Apache-2.0
// Plain tables for the terminal and Markdown tables for documents.
// Layer: sim/app.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::app {

/// Cells in rows; the first row is the head. Numbers are set to the right, texts to the left. What
/// would act on a terminal, or end a cell of Markdown, is escaped.
class TextTable {
 public:
  /// `right` has one flag a column: set to the right.
  TextTable(std::vector<std::string> head, std::vector<bool> right);
  void add(std::vector<std::string> cells);
  /// A line of its own between rows.
  void add_heading(std::string_view text);

  [[nodiscard]] std::string plain() const;
  [[nodiscard]] std::string markdown() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool heading = false;
  };
  [[nodiscard]] std::vector<std::size_t> widths() const;
  std::vector<bool> right_;
  std::vector<Row> rows_;
};

}  // namespace lockstep::app
