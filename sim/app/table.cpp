// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/app/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/platforms/printable.hpp"

namespace lockstep::app {
namespace {

// A bar would end the cell of a Markdown table.
std::string without_bars(std::string_view cell) {
  std::string text;
  for (const char c : cell) {
    if (c == '|') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> head, std::vector<bool> right)
    : right_(std::move(right)) {
  add(std::move(head));
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), false});
}

void TextTable::add_heading(std::string_view text) {
  rows_.push_back({{printable(text)}, true});
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> result(right_.size(), 0);
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < row.cells.size() && !row.heading; ++i)
      result[i] = std::max(result[i], row.cells[i].size());
  return result;
}

std::string TextTable::plain() const {
  const std::vector<std::size_t> width = widths();
  std::string text;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0) line += "  ";
      if (row.heading)
        line += row.cells[i];
      else
        line += fmt::format(fmt::runtime(right_[i] ? "{:>{}}" : "{:<{}}"), row.cells[i], width[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string TextTable::markdown() const {
  std::string text;
  bool first = true;
  for (const Row& row : rows_) {
    if (row.heading) continue;
    text += "|";
    for (const std::string& cell : row.cells) text += " " + without_bars(cell) + " |";
    text += "\n";
    if (!first) continue;
    first = false;
    text += "|";
    for (const bool right : right_) text += right ? "---:|" : "---|";
    text += "\n";
  }
  return text;
}

}  // namespace lockstep::app
