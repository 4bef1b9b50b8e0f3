// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lockstep/platforms/registry.hpp"

namespace lockstep {
namespace {

std::string shown_number(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return "infinite";
  return fmt::format("{}", value);
}

std::string wanted_of(Bound bound) {
  const bool bounded_above = bound.high < std::numeric_limits<double>::max();
  const bool bounded_below = bound.low > -std::numeric_limits<double>::max();
  std::string text = "must be finite";
  if (bounded_below)
    text = fmt::format("must be {} {}", bound.above_low ? "above" : "at least", bound.low);
  if (bounded_above) text += fmt::format(" and at most {}", bound.high);
  return text;
}

std::string suffixed(std::string_view key, Dimension dimension) {
  return std::string(key) + std::string(info_of(dimension).suffix);
}

}  // namespace

TableReader::TableReader(const Table& table, std::string where, Diagnostics& problems)
    : table_(table), where_(std::move(where)), problems_(problems) {}

const Value* TableReader::raw(std::string_view key) {
  return asked_for(key, false);
}

const Value* TableReader::asked_for(std::string_view key, bool twin) {
  asked_.push_back({std::string(key), twin});
  const Value* value = table_.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool TableReader::has(std::string_view key) const {
  const Value* value = table_.find(key);
  return value != nullptr && !value->is_null();
}

const Value* TableReader::either_form(std::string_view key) const {
  const Value* value = table_.find(key);
  for (const Dimension dimension : all_dimensions)
    if (value == nullptr || value->is_null()) value = table_.find(suffixed(key, dimension));
  return value;
}

bool TableReader::is_list(std::string_view key) const {
  const Value* value = either_form(key);
  return value != nullptr && value->array() != nullptr;
}

void TableReader::problem(std::string_view key, std::string message, std::string hint) {
  const Value* value = either_form(key);
  problems_.add(value != nullptr && !value->where.empty() ? value->where : where_,
                std::move(message), std::move(hint));
}

void TableReader::missing(std::string_view key, std::string_view hint) {
  problems_.add(where_, fmt::format("{} is missing", key), std::string(hint));
}

void TableReader::wrong_type(std::string_view key, const Value& value, std::string_view wanted) {
  problem(key, fmt::format("{} is {}, not {}", key, value.type_name(), wanted));
}

std::optional<double> TableReader::checked(std::string_view key, double value, Bound bound,
                                           const std::string& shown) {
  const bool inside = std::isfinite(value) &&
                      (bound.above_low ? value > bound.low : value >= bound.low) &&
                      value <= bound.high;
  if (inside) return value;
  problem(key, fmt::format("{} is {}", key, shown), wanted_of(bound));
  return std::nullopt;
}

std::optional<double> TableReader::number_of(std::string_view key, const Value& value,
                                             Bound bound) {
  if (const std::int64_t* integer = value.integer()) {
    const double number = static_cast<double>(*integer);
    return checked(key, number, bound, fmt::format("{}", *integer));
  }
  if (const double* real = value.real()) return checked(key, *real, bound, shown_number(*real));
  wrong_type(key, value, "a number");
  return std::nullopt;
}

std::int64_t TableReader::count(std::string_view key, std::optional<std::int64_t> otherwise,
                                std::int64_t low, std::int64_t high) {
  const auto value = optional_count(key, low, high);
  if (value) return *value;
  if (otherwise && !has(key)) {
    echo(key, Value(*otherwise));
    return *otherwise;
  }
  if (!has(key)) missing(key, "a whole number");
  return otherwise.value_or(low);
}

std::optional<std::int64_t> TableReader::optional_count(std::string_view key, std::int64_t low,
                                                        std::int64_t high) {
  const Value* value = raw(key);
  if (value == nullptr) return std::nullopt;
  const double* real = value->real();
  if (value->integer() == nullptr && real == nullptr) {
    wrong_type(key, *value, "a whole number");
    return std::nullopt;
  }
  if (real != nullptr && std::isfinite(*real) && *real != std::floor(*real)) {
    problem(key, fmt::format("{} is {}, not a whole number", key, *real));
    return std::nullopt;
  }
  const Bound bound{static_cast<double>(low), false, static_cast<double>(high)};
  const auto number = number_of(key, *value, bound);
  if (!number) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(*number);
  echo(key, Value(whole));
  return whole;
}

double TableReader::number(std::string_view key, Bound bound, std::optional<double> otherwise) {
  const auto value = optional_number(key, bound);
  if (value) return *value;
  if (otherwise && !has(key)) {
    echo(key, Value(*otherwise));
    return *otherwise;
  }
  if (!has(key)) missing(key, "a number");
  return otherwise.value_or(std::max(bound.low, std::min(1.0, bound.high)));
}

std::optional<double> TableReader::optional_number(std::string_view key, Bound bound) {
  const Value* value = raw(key);
  if (value == nullptr) return std::nullopt;
  const auto number = number_of(key, *value, bound);
  if (number) echo(key, Value(*number));
  return number;
}

bool TableReader::flag(std::string_view key, std::optional<bool> otherwise) {
  const Value* value = raw(key);
  bool result = otherwise.value_or(false);
  if (value == nullptr) {
    if (!otherwise) missing(key, "true or false");
  } else if (const bool* given = value->flag()) {
    result = *given;
  } else {
    wrong_type(key, *value, "true or false");
  }
  echo(key, Value(result));
  return result;
}

std::optional<std::string> TableReader::optional_text(std::string_view key) {
  const Value* value = raw(key);
  if (value == nullptr) return std::nullopt;
  const std::string* given = value->text();
  if (given == nullptr) {
    wrong_type(key, *value, "a text");
    return std::nullopt;
  }
  echo(key, Value(*given));
  return *given;
}

std::string TableReader::text(std::string_view key, std::optional<std::string> otherwise) {
  auto value = optional_text(key);
  if (value) return *value;
  if (!has(key)) {
    if (!otherwise)
      missing(key, "a text");
    else
      echo(key, Value(*otherwise));
  }
  return otherwise.value_or("");
}

std::string TableReader::choice(std::string_view key, std::span<const std::string> known,
                                const std::optional<std::string>& otherwise) {
  std::string chosen = text(key, otherwise);
  if (!has(key) || table_.find(key)->text() == nullptr) return chosen;
  if (std::find(known.begin(), known.end(), chosen) != known.end()) return chosen;
  problem(key, fmt::format("{} \"{}\" is not known", key, chosen.substr(0, 60)),
          known_names_hint(chosen, known));
  return otherwise.value_or(known.empty() ? "" : known.front());
}

void TableReader::echo_si(std::string_view key, Dimension dimension, double si) {
  echo(suffixed(key, dimension), Value(si / info_of(dimension).suffix_to_si));
}

std::optional<double> TableReader::text_si(std::string_view key, const Value& value,
                                           Dimension dimension, Bound bound) {
  const DimensionInfo& info = info_of(dimension);
  if (value.integer() != nullptr || value.real() != nullptr) {
    problem(key, fmt::format("{} is a bare number", key),
            fmt::format("write {}, e.g. \"{}\"; units: {}; or give {}", info.name, info.example,
                        info.units, suffixed(key, dimension)));
    return std::nullopt;
  }
  const std::string* text = value.text();
  if (text == nullptr) {
    wrong_type(key, value, fmt::format("a text such as \"{}\"", info.example));
    return std::nullopt;
  }
  const ParsedQuantity parsed = parse_quantity(*text, dimension);
  if (!parsed.problem.empty()) {
    problem(key, fmt::format("{}: {}", key, parsed.problem), parsed.hint);
    return std::nullopt;
  }
  return checked(key, parsed.si, bound, *text);
}

std::optional<double> TableReader::quantity_si(std::string_view key, Dimension dimension,
                                               Bound bound, bool optional) {
  const std::string bare_key = suffixed(key, dimension);
  const Value* text = raw(key);
  const Value* bare = asked_for(bare_key, true);
  if (text != nullptr && bare != nullptr) {
    problem(bare_key, fmt::format("{} and {} are the same key", key, bare_key), "give one of them");
    return 0.0;
  }
  if (text == nullptr && bare == nullptr) {
    if (!optional) {
      const DimensionInfo& info = info_of(dimension);
      missing(key, fmt::format("{}, e.g. {} = \"{}\"", info.name, key, info.example));
    }
    return std::nullopt;
  }
  auto si =
      text != nullptr ? text_si(key, *text, dimension, bound) : number_of(bare_key, *bare, bound);
  if (si && bare != nullptr) *si *= info_of(dimension).suffix_to_si;
  if (si) echo_si(key, dimension, *si);
  return si ? si : 0.0;
}

std::vector<double> TableReader::quantities(std::string_view key, Dimension dimension,
                                            Bound bound) {
  const std::string bare_key = suffixed(key, dimension);
  const Value* text = raw(key);
  const Value* bare = asked_for(bare_key, true);
  if (text == nullptr && bare == nullptr) return {};
  const Value* value = text != nullptr ? text : bare;
  const std::string used = text != nullptr ? std::string(key) : bare_key;
  if (text != nullptr && bare != nullptr)
    problem(bare_key, fmt::format("{} and {} are the same key", key, bare_key), "give one of them");
  const double scale = info_of(dimension).suffix_to_si;
  std::vector<double> result;
  const auto take = [&](const Value& item) {
    const auto si =
        text != nullptr ? text_si(used, item, dimension, bound) : number_of(used, item, bound);
    result.push_back(si.value_or(0.0) * (text != nullptr ? 1.0 : scale));
  };
  const Array* list = value->array();
  if (list == nullptr)
    take(*value);
  else
    for (const Value& item : *list) take(item);
  if (list != nullptr && list->empty()) problem(used, fmt::format("{} is an empty list", used));
  if (list == nullptr)
    echo_si(key, dimension, result.front());
  else {
    Array echoed;
    for (const double si : result) echoed.emplace_back(si / scale);
    echo(bare_key, Value(std::move(echoed)));
  }
  return result;
}

std::vector<double> TableReader::numbers(std::string_view key, Bound bound) {
  const Value* value = raw(key);
  if (value == nullptr) return {};
  if (value->array() == nullptr) {
    wrong_type(key, *value, "a list of numbers");
    return {};
  }
  std::vector<double> result;
  Array echoed;
  for (const Value& item : *value->array()) {
    result.push_back(number_of(key, item, bound).value_or(1.0));
    echoed.emplace_back(result.back());
  }
  echo(key, Value(std::move(echoed)));
  return result;
}

void TableReader::finish() {
  std::sort(asked_.begin(), asked_.end(), [](const Asked& a, const Asked& b) {
    return a.key != b.key ? a.key < b.key : a.twin < b.twin;
  });
  const auto same = [](const Asked& a, const Asked& b) { return a.key == b.key; };
  asked_.erase(std::unique(asked_.begin(), asked_.end(), same), asked_.end());
  std::vector<std::string> all;
  std::vector<std::string> listed;
  for (const Asked& asked : asked_) {
    all.push_back(asked.key);
    if (!asked.twin) listed.push_back(asked.key);
  }
  for (const Table::Entry& entry : table_.entries()) {
    if (std::binary_search(all.begin(), all.end(), entry.key)) continue;
    problems_.add(entry.value.where.empty() ? where_ : entry.value.where,
                  fmt::format("unknown key {}", entry.key.substr(0, 60)),
                  problems_.full() ? "" : known_names_hint(entry.key, listed, all));
  }
}

}  // namespace lockstep
