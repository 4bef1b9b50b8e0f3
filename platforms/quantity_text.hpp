// SPDX-License-Identifier: Apache-2.0
// Texts with units: "400 Gbit/s", "80 GiB", "5 us" to a number in SI, and back. The one parser.
// Layer: platforms (standard library only).
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "lockstep/platforms/quantity.hpp"

namespace lockstep {

/// The kinds of value that scenario files hold.
enum class Dimension {
  time,            ///< s
  bytes,           ///< byte
  byte_rate,       ///< byte/s
  flops,           ///< floating-point operations
  flop_rate,       ///< floating-point operations a second
  power,           ///< W
  money,           ///< USD
  money_per_time,  ///< USD/s inside; USD/h is what people write
};

inline constexpr std::array all_dimensions = {
    Dimension::time,      Dimension::bytes, Dimension::byte_rate, Dimension::flops,
    Dimension::flop_rate, Dimension::power, Dimension::money,     Dimension::money_per_time};

/// What the outside says about a dimension.
struct DimensionInfo {
  std::string_view name;      ///< "a time", "a rate in bytes"
  std::string_view example;   ///< "1.8 s"
  std::string_view units;     ///< "s, ms, us, ns, min, h, d"
  std::string_view suffix;    ///< of the key with a bare number: "_s", "_bytes_per_s"
  double suffix_to_si = 1.0;  ///< value with that suffix times this = SI
};
[[nodiscard]] const DimensionInfo& info_of(Dimension dimension);

namespace detail {
template <class Q>
struct DimensionOf;  // a quantity type without a text form does not compile
template <>
struct DimensionOf<Seconds> {
  static constexpr Dimension value = Dimension::time;
};
template <>
struct DimensionOf<Bytes> {
  static constexpr Dimension value = Dimension::bytes;
};
template <>
struct DimensionOf<BytesPerSecond> {
  static constexpr Dimension value = Dimension::byte_rate;
};
template <>
struct DimensionOf<Flops> {
  static constexpr Dimension value = Dimension::flops;
};
template <>
struct DimensionOf<FlopsPerSecond> {
  static constexpr Dimension value = Dimension::flop_rate;
};
template <>
struct DimensionOf<Watts> {
  static constexpr Dimension value = Dimension::power;
};
template <>
struct DimensionOf<Usd> {
  static constexpr Dimension value = Dimension::money;
};
template <>
struct DimensionOf<UsdPerSecond> {
  static constexpr Dimension value = Dimension::money_per_time;
};
}  // namespace detail

/// The dimension of a quantity type.
template <class Q>
inline constexpr Dimension dimension_of = detail::DimensionOf<Q>::value;

/// A parsed text, or why it is none.
struct ParsedQuantity {
  double si = 0.0;
  std::string problem;  ///< empty when parsed
  std::string hint;
};

/// Reads "NUMBER UNIT" (the blank is optional) as a value of `dimension`.
///
///   decimal prefixes   k K M G T P E   powers of 1000: kB = KB = 1000 byte, Gbit, TFLOP
///   binary prefixes    Ki Mi Gi Ti Pi  powers of 1024: GiB, Gibit
///   bit and byte       "bit" and "B": "Gbit/s" = "Gbps" = 1e9/8 byte/s; "Gb" is refused: doubtful
///   operations         FLOP, FLOPs; rates FLOP/s, FLOPs/s, FLOPS, OP/s, OPS
///   time               s ms us (µs) ns ps min h d
///   money and power    USD, USD/h, USD/s;  W kW MW
///
/// A bare number, a unit of another dimension, a number that is not finite: a problem, with a hint.
[[nodiscard]] ParsedQuantity parse_quantity(std::string_view text, Dimension dimension);

/// A value in a unit a person would choose: "4.662 s", "37.5 GB/s".
[[nodiscard]] std::string quantity_text(double si, Dimension dimension, int digits = 4);

/// The same for a typed quantity.
template <class Q>
[[nodiscard]] std::string quantity_text(Q value, int digits = 4) {
  return quantity_text(value.si(), dimension_of<Q>, digits);
}

}  // namespace lockstep
