// SPDX-License-Identifier: Apache-2.0
// JSON text to a Document and values to JSON text. The only file of this layer that sees nlohmann.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

using nlohmann::ordered_json;

std::string escaped_pointer(const std::string& key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...": what
// follows the place, which is ours to give.
std::string cause_of(std::string text) {
  if (text.find("ill-formed UTF-8") != std::string::npos) return "a byte that is not UTF-8";
  if (const auto end = text.find("] "); text.starts_with('[') && end != std::string::npos)
    text.erase(0, end + 2);
  if (const auto end = text.find(": "); text.starts_with("parse error") && end != std::string::npos)
    text.erase(0, end + 2);
  return text;
}

// Builds the tree while parsing, so that a key given twice is seen (a DOM keeps the last silently).
class Builder : public nlohmann::json_sax<ordered_json> {
 public:
  Builder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool null() override { return put(Value()); }
  bool boolean(bool flag) override { return put(Value(flag)); }
  bool number_integer(number_integer_t number) override { return put(Value(std::int64_t{number})); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return put(Value(static_cast<double>(number)));
    return put(Value(static_cast<std::int64_t>(number)));
  }
  bool number_float(number_float_t number, const string_t&) override { return put(Value(number)); }
  bool string(string_t& text) override { return put(Value(std::move(text))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Value(Table{})); }
  bool start_array(std::size_t) override { return open(Value(Array{})); }
  bool key(string_t& key) override {
    Level& level = levels_.back();
    level.key = key;
    const Table& table = std::get<Table>(level.value.data());
    if (table.size() >= most_keys) {
      problems_.add(pointer_to(escaped_pointer(key)), fmt::format("more than {} keys", most_keys));
      return false;
    }
    if (table.find(key) != nullptr)
      problems_.add(pointer_to(escaped_pointer(key)), "is given twice", "keep one");
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& problem) override {
    const std::string_view before = text_.substr(0, std::min(position, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column =
        start == std::string_view::npos ? before.size() : before.size() - start - 1;
    problems_.add(fmt::format("{}:{}:{}", name_, line, std::max<std::size_t>(column, 1)),
                  "is not JSON: " + cause_of(problem.what()));
    return false;
  }

  Value finish() {
    problems_.throw_if_any();
    if (!root_) throw Error(ErrorKind::input, "is empty", name_);
    return std::move(*root_);
  }

 private:
  struct Level {
    Value value;
    std::string key;
  };

  // `last` is escaped already where it is a step of a level.
  std::string pointer_to(const std::string& last) const {
    std::string pointer = name_ + ":";
    for (const Level& level : levels_) {
      if (&level == &levels_.back()) break;
      pointer += "/" + step_of(level);
    }
    return pointer + "/" + last;
  }

  static std::string step_of(const Level& level) {
    if (level.value.table() != nullptr) return escaped_pointer(level.key);
    return std::to_string(std::get<Array>(level.value.data()).size());
  }

  bool put(Value value) {
    if (levels_.empty()) {
      value.where = name_;
      root_ = std::move(value);
      return true;
    }
    Level& level = levels_.back();
    if (value.where.empty()) value.where = pointer_to(step_of(level));
    if (Table* table = level.value.table())
      table->set(level.key, std::move(value));
    else
      std::get<Array>(level.value.data()).push_back(std::move(value));
    return true;
  }

  bool open(Value container) {
    if (levels_.size() >= deepest_nesting) {
      problems_.add(name_, fmt::format("is nested deeper than {} levels", deepest_nesting));
      return false;
    }
    if (!levels_.empty()) container.where = pointer_to(step_of(levels_.back()));
    levels_.push_back(Level{std::move(container), {}});
    return true;
  }

  bool close() {
    Value done = std::move(levels_.back().value);
    levels_.pop_back();
    return put(std::move(done));
  }

  std::string_view text_;
  std::string name_;
  std::vector<Level> levels_;
  std::optional<Value> root_;
  Diagnostics problems_;
};

ordered_json json_of(const Value& value) {
  if (const bool* flag = value.flag()) return *flag;
  if (const std::int64_t* integer = value.integer()) return *integer;
  if (const double* real = value.real()) {
    if (std::isinf(*real)) return *real > 0 ? "inf" : "-inf";
    return *real;
  }
  if (const std::string* text = value.text()) return *text;
  if (const Array* list = value.array()) {
    ordered_json out = ordered_json::array();
    for (const Value& item : *list) out.push_back(json_of(item));
    return out;
  }
  if (const Table* table = value.table()) {
    ordered_json out = ordered_json::object();
    for (const Table::Entry& entry : table->entries()) out[entry.key] = json_of(entry.value);
    return out;
  }
  return nullptr;
}

}  // namespace

Document parse_json(std::string_view text, const std::string& name) {
  Builder builder(text, name);
  ordered_json::sax_parse(text.begin(), text.end(), &builder);
  Value root = builder.finish();
  if (root.table() == nullptr)
    throw Error(ErrorKind::input, "holds " + std::string(root.type_name()) + ", not an object",
                name);
  return Document{name, std::move(*root.table()), name + ":/"};
}

std::string to_json(const Value& value, int indent) {
  return json_of(value).dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace lockstep
