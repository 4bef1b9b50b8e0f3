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

#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/quantity_text.hpp"

namespace lockstep {

Table::Table() = default;
Table::~Table() = default;
Table::Table(const Table&) = default;
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(const Table&) = default;
Table& Table::operator=(Table&&) noexcept = default;

const Value* Table::find(std::string_view key) const {
  for (const Entry& entry : entries_)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Value* Table::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Table::set(std::string_view key, Value value) {
  if (Value* present = find(key)) return *present = std::move(value);
  entries_.push_back(Entry{std::string(key), std::move(value)});
  return entries_.back().value;
}

void Table::erase(std::string_view key) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
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
  for (const Dimension dimension :
       {Dimension::time, Dimension::bytes, Dimension::byte_rate, Dimension::flops,
        Dimension::flop_rate, Dimension::power, Dimension::money, Dimension::money_per_time}) {
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

void apply_setting(Document& document, std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string where = "--set " + std::string(setting.substr(0, 60));
  if (equals == std::string_view::npos || equals == 0)
    throw Error(ErrorKind::input, "is not key=value", where, "e.g. --set microbatches=32");
  std::string_view path = setting.substr(0, equals);
  Table* table = &document.root;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    const std::string_view part = path.substr(0, dot);
    Value* next = table->find(part);
    if (next == nullptr) {
      next = &table->set(part, Value(Table{}));
      next->where = where;
    }
    if (next->table() == nullptr)
      throw Error(ErrorKind::input,
                  std::string(part) + " is " + std::string(next->type_name()) + ", not a table",
                  where);
    table = next->table();
    path.remove_prefix(dot + 1);
  }
  Value value = setting_value(std::string(setting.substr(equals + 1)));
  place(value, where);
  replace_key(*table, std::string(path), std::move(value));
}

}  // namespace lockstep
