// SPDX-License-Identifier: Apache-2.0
// A scenario or catalogue file as a tree of values, each with its place. TOML and JSON both become
// this; results leave as JSON from it.
// Layer: platforms (standard library only).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep {

class Value;
using Array = std::vector<Value>;

/// Keys in the order of the file. A large table finds its keys by an index.
class Table {
 public:
  struct Entry;
  Table();
  ~Table();
  Table(const Table&);
  Table(Table&&) noexcept;
  Table& operator=(const Table&);
  Table& operator=(Table&&) noexcept;

  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Value* find(std::string_view key);
  /// Adds a key at the end, or replaces its value in place.
  Value& set(std::string_view key, Value value);
  void erase(std::string_view key);
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const;

 private:
  void index_all();
  [[nodiscard]] std::size_t place_in_index(std::string_view key) const;

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> by_key_;  // entries in the order of their keys; empty when few
};

/// null, flag, whole number, number, text, list or table, and where it stands.
class Value {
 public:
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table>;
  Value() = default;
  Value(bool flag) : data_(flag) {}                           // NOLINT(google-explicit-*)
  Value(int number) : data_(std::int64_t{number}) {}          // NOLINT
  Value(std::int64_t number) : data_(number) {}               // NOLINT
  Value(double number) : data_(number) {}                     // NOLINT
  Value(const char* text) : data_(std::string(text)) {}       // NOLINT
  Value(std::string text) : data_(std::move(text)) {}         // NOLINT
  Value(std::string_view text) : data_(std::string(text)) {}  // NOLINT
  Value(Array list) : data_(std::move(list)) {}               // NOLINT
  Value(Table table) : data_(std::move(table)) {}             // NOLINT

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] const bool* flag() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data_); }
  [[nodiscard]] const double* real() const { return std::get_if<double>(&data_); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&data_); }
  [[nodiscard]] Array* array() { return std::get_if<Array>(&data_); }
  [[nodiscard]] const Table* table() const { return std::get_if<Table>(&data_); }
  [[nodiscard]] Table* table() { return std::get_if<Table>(&data_); }
  [[nodiscard]] const Data& data() const { return data_; }
  [[nodiscard]] Data& data() { return data_; }

  /// "a list", "a text", ...: for messages.
  [[nodiscard]] std::string_view type_name() const;

  /// "file:line:column", "file:/json/pointer", "--set key", or empty when made by the program.
  std::string where;

 private:
  Data data_;
};

struct Table::Entry {
  std::string key;
  Value value;
};

/// A whole file: its root table and the name it came from.
struct Document {
  std::string name;
  Table root;
  std::string root_where;  ///< where a missing key is missing: "file:1:1", "file.json:/"
};

/// Files larger than this are refused before they are read, bytes.
inline constexpr std::int64_t largest_document = 16'777'216;  // 16 MiB

/// A table with more keys than this is refused: no scenario has them.
inline constexpr std::size_t most_keys = 4096;

/// Tables and lists within each other, parts of dotted keys included; deeper ones are refused.
inline constexpr std::size_t deepest_nesting = 64;

/// Reads a scenario or catalogue file: JSON when the name ends in ".json" or is "-" (standard
/// input), else TOML.
/// Throws Error(io) when it cannot be read, Error(input) with every syntax problem found.
[[nodiscard]] Document read_document(const std::string& path);

/// The same from text already in memory. `name` is used in places.
[[nodiscard]] Document parse_toml(std::string_view text, const std::string& name);
[[nodiscard]] Document parse_json(std::string_view text, const std::string& name);

/// Sets a key and takes its other unit form out ("step_time" for "step_time_s" and back).
void replace_key(Table& table, const std::string& key, Value value);

/// Applies "dotted.key=value": the value is a TOML value, else a text. Replaces the key's other
/// unit form ("step_time" for "step_time_s" and back). Throws Error(input) when there is no "=", a
/// part of the path is empty or not a table, or there are more than `deepest_nesting` parts.
void apply_setting(Document& document, std::string_view setting);

/// JSON text of a value: keys in order, shortest digits that read back to the same double, infinite
/// as "inf" and not-a-number as null. indent < 0: one line.
[[nodiscard]] std::string to_json(const Value& value, int indent = -1);

}  // namespace lockstep
