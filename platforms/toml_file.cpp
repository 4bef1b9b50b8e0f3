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

// Walks over the text as TOML would, strings and comments apart, and refuses what nests too deep:
// toml++ bounds values within values, but not the parts of dotted keys, and then recurses over
// them.
class NestingScan {
 public:
  NestingScan(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (c == '"' || c == '\'')
        skip_string(c);
      else
        step(c);
    }
  }

 private:
  void step(char c) {
    ++at_;
    if (c == '[' || c == '{') {
      require(++open_);
    } else if (c == ']' || c == '}') {
      if (open_ > 0) --open_;
    }
    if (c == '.')
      require(++parts_);
    else if (std::string_view("[]{},=\n").find(c) != std::string_view::npos)
      parts_ = 1;
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    at_ += lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        at_ += 2;
      } else if (lines && text_.substr(at_, 3) == three) {
        at_ += 3;  // up to two quotes may stand before the three that end the text
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
        return;
      } else if (!lines && (c == quote || c == '\n')) {
        ++at_;
        return;
      } else {
        ++at_;
      }
    }
  }

  void require(std::size_t depth) const {
    if (depth <= deepest_nesting) return;
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? at_ : at_ - start - 1;
    throw Error(ErrorKind::input, fmt::format("is nested deeper than {} levels", deepest_nesting),
                fmt::format("{}:{}:{}", name_, line, column));
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t open_ = 0;
  std::size_t parts_ = 1;  // of the key under way
};

class Converter {
 public:
  explicit Converter(const std::string& name) : name_(name) {}

  Value convert(const toml::node& node) {
    if (++depth_ > deepest_nesting)
      throw Error(ErrorKind::input, fmt::format("is nested deeper than {} levels", deepest_nesting),
                  place_of(name_, node.source()));
    Value value = data_of(node);
    --depth_;
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
  std::size_t depth_ = 0;  // of the value being converted; the root is none
};

}  // namespace

Document parse_toml(std::string_view text, const std::string& name) {
  NestingScan(text, name).check();
  try {
    const toml::table root = toml::parse(text, std::string_view(name));
    return Document{name, Converter(name).convert_table(root), name + ":1:1"};
  } catch (const toml::parse_error& problem) {
    throw Error(ErrorKind::input, "is not TOML: " + std::string(problem.description()),
                place_of(name, problem.source()));
  }
}

}  // namespace lockstep
