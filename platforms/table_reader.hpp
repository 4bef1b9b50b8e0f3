// SPDX-License-Identifier: Apache-2.0
// Typed reading of a table: units, ranges, defaults, unknown keys; all problems at once, and the
// scenario with every default resolved.
// Layer: platforms (standard library only).
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/quantity_text.hpp"

namespace lockstep {

/// The values a number may take. Not-a-number and infinities never may.
struct Bound {
  double low = -std::numeric_limits<double>::max();
  bool above_low = false;  ///< low itself is refused
  double high = std::numeric_limits<double>::max();
};
inline constexpr Bound any_finite{};
inline constexpr Bound positive{0.0, true};
inline constexpr Bound non_negative{0.0, false};
inline constexpr Bound fraction{0.0, false, 1.0};
inline constexpr Bound positive_fraction{0.0, true, 1.0};

/// Counts beyond this are refused, so that products of a few of them stay exact in 64 bits or in a
/// double's 53.
inline constexpr std::int64_t largest_count = 1'000'000'000;

/// Reads one table. A problem is recorded and a harmless value returned, so that reading goes on
/// and the user sees every problem at once. JSON null means absent.
class TableReader {
 public:
  TableReader(const Table& table, std::string where, Diagnostics& problems);

  /// A whole number in [low, high]; floats with an integral value are taken.
  std::int64_t count(std::string_view key, std::optional<std::int64_t> otherwise = {},
                     std::int64_t low = 1, std::int64_t high = largest_count);
  double number(std::string_view key, Bound bound, std::optional<double> otherwise = {});
  std::optional<double> optional_number(std::string_view key, Bound bound);
  bool flag(std::string_view key, std::optional<bool> otherwise = {});
  std::string text(std::string_view key, std::optional<std::string> otherwise = {});
  std::optional<std::string> optional_text(std::string_view key);
  std::optional<std::int64_t> optional_count(std::string_view key, std::int64_t low = 1,
                                             std::int64_t high = largest_count);

  /// A value with a dimension: `key = "1.8 s"` or `key_s = 1.8`; both at once is a problem.
  template <class Q>
  Q quantity(std::string_view key, Bound bound, std::optional<Q> otherwise = {}) {
    const auto si = quantity_si(key, dimension_of<Q>, bound, otherwise.has_value());
    if (!si && otherwise) echo_si(key, dimension_of<Q>, otherwise->si());
    return si ? Q(*si) : otherwise.value_or(Q{});
  }
  template <class Q>
  std::optional<Q> optional_quantity(std::string_view key, Bound bound) {
    const auto si = quantity_si(key, dimension_of<Q>, bound, true);
    return si ? std::optional<Q>(Q(*si)) : std::nullopt;
  }

  /// One value or a list of values of a dimension, SI; empty when absent.
  std::vector<double> quantities(std::string_view key, Dimension dimension, Bound bound);
  /// A list of numbers; empty when absent.
  std::vector<double> numbers(std::string_view key, Bound bound);

  /// One of `known`. Anything else: a problem that names the nearest and the known.
  std::string choice(std::string_view key, std::span<const std::string> known,
                     const std::optional<std::string>& otherwise = {});

  /// The value of a key as it stands, marked as read; nullptr when absent.
  const Value* raw(std::string_view key);
  /// A key that is accepted and left alone.
  void ignore(std::string_view key) { raw(key); }
  [[nodiscard]] bool has(std::string_view key) const;
  /// Whether a list stands under a key, in either unit form.
  [[nodiscard]] bool is_list(std::string_view key) const;

  /// Records a problem at a key, in whichever unit form it is given (at the table when absent).
  void problem(std::string_view key, std::string message, std::string hint = {});
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] Diagnostics& problems() { return problems_; }

  /// Records every key that nothing has asked for.
  void finish();

  /// Everything read, with defaults, in SI keys: it feeds back to the same result.
  [[nodiscard]] const Table& resolved() const { return resolved_; }
  /// Adds to it: what a reader of its own has read.
  void echo(std::string_view key, Value value) { resolved_.set(key, std::move(value)); }

 private:
  std::optional<double> quantity_si(std::string_view key, Dimension dimension, Bound bound,
                                    bool optional);
  void echo_si(std::string_view key, Dimension dimension, double si);
  std::optional<double> checked(std::string_view key, double value, Bound bound,
                                const std::string& shown);
  std::optional<double> number_of(std::string_view key, const Value& value, Bound bound);
  std::optional<double> text_si(std::string_view key, const Value& value, Dimension dimension,
                                Bound bound);
  void missing(std::string_view key, std::string_view hint);
  void wrong_type(std::string_view key, const Value& value, std::string_view wanted);

  const Table& table_;
  std::string where_;
  Diagnostics& problems_;
  /// What has been asked for: each key once, and whether it is the SI twin of another.
  struct Asked {
    std::string key;
    bool twin = false;
  };
  [[nodiscard]] const Value* either_form(std::string_view key) const;
  const Value* asked_for(std::string_view key, bool twin);
  std::vector<Asked> asked_;
  Table resolved_;
};

}  // namespace lockstep
