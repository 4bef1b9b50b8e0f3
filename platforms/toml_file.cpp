// SPDX-License-Identifier: Apache-2.0
// TOML text to a Document. The only file that sees toml++.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

std::string place_of(const std::string& name, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", name, region.begin.line, region.begin.column);
}

class Converter {
 public:
  explicit Converter(const std::string& name) : name_(name) {}

  Value convert(const toml::node& node) {
    Value value = data_of(node);
    value.where = place_of(name_, node.source());
    return value;
  }

  // Keys of a toml++ table come sorted; give them back in the order of the file.
  Table convert_table(const toml::table& source) {
    if (source.size() > most_keys)
      throw Error(ErrorKind::input, fmt::format("holds more than {} keys", most_keys),
                  place_of(name_, source.source()));
    std::vector<std::pair<const toml::key*, const toml::node*>> items;
    for (auto&& [key, node] : source) items.emplace_back(&key, &node);
    const auto before = [](const auto& a, const auto& b) {
      const auto& x = a.first->source().begin;
      const auto& y = b.first->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    };
    std::stable_sort(items.begin(), items.end(), before);
    Table table;
    for (const auto& [key, node] : items) {
      Value value = convert(*node);
      value.where = place_of(name_, key->source());
      table.set(key->str(), std::move(value));
    }
    return table;
  }

 private:
  Value data_of(const toml::node& node) {
    if (const auto* table = node.as_table()) return Value(convert_table(*table));
    if (const auto* list = node.as_array()) {
      Array values;
      for (const toml::node& item : *list) values.push_back(convert(item));
      return Value(std::move(values));
    }
    if (const auto* text = node.as_string()) return Value(text->get());
    if (const auto* integer = node.as_integer()) return Value(integer->get());
    if (const auto* real = node.as_floating_point()) return Value(real->get());
    if (const auto* flag = node.as_boolean()) return Value(flag->get());
    throw Error(ErrorKind::input, "dates and times of day have no meaning here",
                place_of(name_, node.source()));
  }

  const std::string& name_;
};

}  // namespace

Document parse_toml(std::string_view text, const std::string& name) {
  try {
    const toml::table root = toml::parse(text, std::string_view(name));
    return Document{name, Converter(name).convert_table(root), name + ":1:1"};
  } catch (const toml::parse_error& problem) {
    throw Error(ErrorKind::input, "is not TOML: " + std::string(problem.description()),
                place_of(name, problem.source()));
  }
}

}  // namespace lockstep
