// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/document.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/quantity_text.hpp"

namespace lockstep {

Table::Table() = default;
Table::~Table() = default;
Table::Table(const Table&) = default;
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(const Table&) = default;
Table& Table::operator=(Table&&) noexcept = default;

namespace {
constexpr std::size_t most_without_index = 16;
}

std::size_t Table::size() const {
  return entries_.size();
}

const Value* Table::find(std::string_view key) const {
  if (by_key_.empty()) {
    for (const Entry& entry : entries_)
      if (entry.key == key) return &entry.value;
    return nullptr;
  }
  const std::size_t place = place_in_index(key);
  if (place == by_key_.size()) return nullptr;
  const Entry& entry = entries_[by_key_[place]];
  return entry.key == key ? &entry.value : nullptr;
}

Value* Table::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Table::set(std::string_view key, Value value) {
  if (Value* present = find(key)) return *present = std::move(value);
  const auto added = static_cast<std::uint32_t>(entries_.size());
  if (!by_key_.empty())
    by_key_.insert(by_key_.begin() + static_cast<std::ptrdiff_t>(place_in_index(key)), added);
  entries_.push_back(Entry{std::string(key), std::move(value)});
  if (entries_.size() == most_without_index + 1) index_all();
  return entries_.back().value;
}

void Table::erase(std::string_view key) {
  if (find(key) == nullptr) return;
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
  by_key_.clear();
  if (entries_.size() > most_without_index) index_all();
}

void Table::index_all() {
  by_key_.resize(entries_.size());
  std::iota(by_key_.begin(), by_key_.end(), std::uint32_t{0});
  std::sort(by_key_.begin(), by_key_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return entries_[a].key < entries_[b].key; });
}

std::size_t Table::place_in_index(std::string_view key) const {
  const auto at = std::lower_bound(by_key_.begin(), by_key_.end(), key,
                                   [this](std::uint32_t entry, std::string_view wanted) {
                                     return entries_[entry].key < wanted;
                                   });
  return static_cast<std::size_t>(at - by_key_.begin());
}

std::string_view Value::type_name() const {
  static constexpr std::array<std::string_view, 7> names = {
      "null", "a flag", "a whole number", "a number", "a text", "a list", "a table"};
  return names[data_.index()];
}

namespace {

std::string read_limited(std::istream& in, const std::string& name) {
  std::string text;
  std::array<char, 65536> block{};
  while (in) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > static_cast<std::size_t>(largest_document))
      throw Error(ErrorKind::input, "is larger than 16 MiB, the most that a file may hold", name,
                  "scenario files are a few kilobytes");
  }
  if (in.bad()) throw Error(ErrorKind::io, "cannot be read", name, std::strerror(errno));
  return text;
}

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(ErrorKind::io, "is a folder, not a file", path, "name a .toml or .json file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::io, "cannot be opened", path, std::strerror(errno));
  return read_limited(in, path);
}

// The key in its other unit form: "step_time" for "step_time_s", and the reverse.
std::vector<std::string> other_forms(const std::string& key) {
  std::vector<std::string> forms;
  for (const Dimension dimension : all_dimensions) {
    const std::string_view suffix = info_of(dimension).suffix;
    forms.push_back(key + std::string(suffix));
    if (key.ends_with(suffix)) forms.push_back(key.substr(0, key.size() - suffix.size()));
  }
  return forms;
}

void place(Value& value, const std::string& where) {
  value.where = where;
  if (Array* list = value.array())
    for (Value& item : *list) place(item, where);
  if (Table* table = value.table())
    for (const Table::Entry& entry : table->entries()) place(*table->find(entry.key), where);
}

Value setting_value(const std::string& text) {
  try {
    Document parsed = parse_toml("value = " + text + "\n", "--set");
    if (parsed.root.size() == 1) return *parsed.root.find("value");
  } catch (const Error&) {
    // not a TOML value: the text itself is meant
  }
  return Value(text);
}

}  // namespace

Document read_document(const std::string& path) {
  if (path == "-") return parse_json(read_limited(std::cin, "standard input"), "standard input");
  const std::string text = read_file(path);
  return path.ends_with(".json") ? parse_json(text, path) : parse_toml(text, path);
}

void replace_key(Table& table, const std::string& key, Value value) {
  for (const std::string& form : other_forms(key)) table.erase(form);
  table.set(key, std::move(value));
}

namespace {

// "a.b.c" to its parts. An empty part or too many are refused before anything is made of them.
std::vector<std::string> parts_of(std::string_view path, const std::string& where) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    if (dot == 0)
      throw Error(ErrorKind::input, "a part of the key is empty", where,
                  "e.g. --set simulation.schedule=1f1b");
    parts.emplace_back(path.substr(0, dot));
    if (parts.size() > deepest_nesting)
      throw Error(ErrorKind::input,
                  "the key has more than " + std::to_string(deepest_nesting) + " parts", where);
    if (dot == path.size()) return parts;
    path.remove_prefix(dot + 1);
  }
}

Table& table_in(Table& parent, const std::string& key, const std::string& where) {
  Value* next = parent.find(key);
  if (next == nullptr || next->is_null()) {
    next = &parent.set(key, Value(Table{}));
    next->where = where;
  }
  if (Table* table = next->table()) return *table;
  throw Error(ErrorKind::input, key + " is " + std::string(next->type_name()) + ", not a table",
              where);
}

}  // namespace

void apply_setting(Document& document, std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string where = "--set " + std::string(setting.substr(0, 60));
  if (equals == std::string_view::npos || equals == 0)
    throw Error(ErrorKind::input, "is not key=value", where, "e.g. --set microbatches=32");
  std::vector<std::string> parts = parts_of(setting.substr(0, equals), where);
  const std::string last = std::move(parts.back());
  parts.pop_back();
  Table* table = &document.root;
  for (const std::string& part : parts) table = &table_in(*table, part, where);
  Value value = setting_value(std::string(setting.substr(equals + 1)));
  place(value, where);
  replace_key(*table, last, std::move(value));
}

}  // namespace lockstep
