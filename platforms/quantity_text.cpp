// SPDX-License-Identifier: Apache-2.0
#include "lockstep/platforms/quantity_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace lockstep {
namespace {

constexpr std::array<DimensionInfo, 8> dimension_infos = {{
    {"a time", "1.8 s", "s, ms, us, ns, ps, min, h, d", "_s"},
    {"a size in bytes", "80 GiB", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, bit, Gbit", "_bytes"},
    {"a rate in bytes", "400 Gbit/s", "B/s, GB/s, GiB/s, bit/s, Gbit/s, Gbps, ...", "_bytes_per_s"},
    {"a number of operations", "2 TFLOP", "FLOP, GFLOP, TFLOP, PFLOP", "_flops"},
    {"a rate of operations", "989 TFLOP/s", "FLOP/s, GFLOP/s, TFLOP/s, PFLOP/s, TOP/s",
     "_flops_per_s"},
    {"a power", "700 W", "W, kW, MW", "_w"},
    {"an amount of money", "30000 USD", "USD", "_usd"},
    {"a price of time", "32 USD/h", "USD/h, USD/s", "_usd_per_hour", 1.0 / 3600.0},
}};

struct Unit {
  std::string_view symbol;
  Dimension dimension;
  double times;
  double over;    // SI = number * times / over; both exact, so "10 us" is 1e-5 to the last digit
  bool prefixed;  // takes k, M, G, ... and, for bytes and bits, Ki, Mi, Gi, ...
};

// "Gbps" is a bit rate by everybody's use; "b" alone never is, since it is read both ways.
constexpr std::array<Unit, 29> units = {{
    {"s", Dimension::time, 1.0, 1.0, false},
    {"ms", Dimension::time, 1.0, 1e3, false},
    {"us", Dimension::time, 1.0, 1e6, false},
    {"\u00b5s", Dimension::time, 1.0, 1e6, false},
    {"\u03bcs", Dimension::time, 1.0, 1e6, false},
    {"ns", Dimension::time, 1.0, 1e9, false},
    {"ps", Dimension::time, 1.0, 1e12, false},
    {"min", Dimension::time, 60.0, 1.0, false},
    {"h", Dimension::time, 3600.0, 1.0, false},
    {"d", Dimension::time, 86400.0, 1.0, false},
    {"B", Dimension::bytes, 1.0, 1.0, true},
    {"bit", Dimension::bytes, 0.125, 1.0, true},
    {"B/s", Dimension::byte_rate, 1.0, 1.0, true},
    {"bit/s", Dimension::byte_rate, 0.125, 1.0, true},
    {"bps", Dimension::byte_rate, 0.125, 1.0, true},
    {"FLOP", Dimension::flops, 1.0, 1.0, true},
    {"FLOPs", Dimension::flops, 1.0, 1.0, true},
    {"FLOP/s", Dimension::flop_rate, 1.0, 1.0, true},
    {"FLOPs/s", Dimension::flop_rate, 1.0, 1.0, true},
    {"FLOPS", Dimension::flop_rate, 1.0, 1.0, true},
    {"OP/s", Dimension::flop_rate, 1.0, 1.0, true},
    {"OPS", Dimension::flop_rate, 1.0, 1.0, true},
    {"W", Dimension::power, 1.0, 1.0, true},
    {"USD", Dimension::money, 1.0, 1.0, false},
    {"USD/h", Dimension::money_per_time, 1.0, 3600.0, false},
    {"USD/s", Dimension::money_per_time, 1.0, 1.0, false},
    {"$/h", Dimension::money_per_time, 1.0, 3600.0, false},
    {"flop", Dimension::flops, 1.0, 1.0, true},
    {"flop/s", Dimension::flop_rate, 1.0, 1.0, true},
}};

struct Prefix {
  std::string_view symbol;
  double factor;
  bool binary;
};
constexpr std::array<Prefix, 13> prefixes = {{
    {"Ki", 0x1p10, true},
    {"Mi", 0x1p20, true},
    {"Gi", 0x1p30, true},
    {"Ti", 0x1p40, true},
    {"Pi", 0x1p50, true},
    {"k", 1e3, false},
    {"K", 1e3, false},
    {"M", 1e6, false},
    {"G", 1e9, false},
    {"T", 1e12, false},
    {"P", 1e15, false},
    {"E", 1e18, false},
    {"", 1.0, false},
}};

struct FoundUnit {
  Dimension dimension;
  double times;
  double over;
};

std::optional<FoundUnit> find_unit(std::string_view text) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.symbol)) continue;
    const std::string_view head = text.substr(0, text.size() - unit.symbol.size());
    if (head.empty()) return FoundUnit{unit.dimension, unit.times, unit.over};
    if (!unit.prefixed) continue;
    for (const Prefix& prefix : prefixes) {
      if (head != prefix.symbol) continue;
      const bool of_data =
          unit.dimension == Dimension::bytes || unit.dimension == Dimension::byte_rate;
      if (prefix.binary && !of_data) continue;
      return FoundUnit{unit.dimension, prefix.factor * unit.times, unit.over};
    }
  }
  return std::nullopt;
}

// "Gb", "Gb/s", "MiB" written "Mib": a lower-case b can mean either.
bool doubtful_b(std::string_view unit) {
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  return !unit.empty() && unit.back() == 'b';
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

ParsedQuantity refused(std::string problem, std::string hint) {
  return ParsedQuantity{0.0, std::move(problem), std::move(hint)};
}

}  // namespace

const DimensionInfo& info_of(Dimension dimension) {
  return dimension_infos[static_cast<std::size_t>(dimension)];
}

ParsedQuantity parse_quantity(std::string_view text, Dimension dimension) {
  const DimensionInfo& info = info_of(dimension);
  const std::string wanted =
      fmt::format("write {}, e.g. \"{}\"; units: {}", info.name, info.example, info.units);
  const std::string shown(text.substr(0, 60));
  std::string_view rest = trimmed(text);
  if (rest.starts_with('+') && !rest.starts_with("+-")) rest.remove_prefix(1);
  double number = 0.0;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (status == std::errc::result_out_of_range)
    return refused(fmt::format("\"{}\" is out of range", shown), wanted);
  if (status != std::errc{}) return refused(fmt::format("\"{}\" has no number", shown), wanted);
  if (!std::isfinite(number)) return refused(fmt::format("\"{}\" is not finite", shown), wanted);
  const std::string_view unit = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  if (unit.empty()) return refused(fmt::format("\"{}\" has no unit", shown), wanted);
  const auto found = find_unit(unit);
  if (!found && doubtful_b(unit))
    return refused(fmt::format("\"{}\": \"b\" can mean bit or byte", shown),
                   "write bit (Gbit/s, Gbps) or B (GB/s)");
  if (!found)
    return refused(
        fmt::format("\"{}\" has the unknown unit \"{}\"", shown, std::string(unit.substr(0, 30))),
        wanted);
  if (found->dimension != dimension)
    return refused(
        fmt::format("\"{}\" is {}, not {}", shown, info_of(found->dimension).name, info.name),
        wanted);
  const double si = number * found->times / found->over;
  if (!std::isfinite(si)) return refused(fmt::format("\"{}\" is out of range", shown), wanted);
  return ParsedQuantity{si, {}, {}};
}

namespace {

struct Scale {
  double at_least;
  double factor;
  std::string_view unit;
};

std::string scaled(double si, std::span<const Scale> scales, int digits) {
  const Scale* chosen = &scales.back();
  for (const Scale& scale : scales)
    if (std::abs(si) >= scale.at_least) {
      chosen = &scale;
      break;
    }
  return fmt::format("{:.{}g} {}", si / chosen->factor, digits, chosen->unit);
}

constexpr std::array<Scale, 7> time_scales = {{{1e5, 3600.0, "h"},
                                               {1.0, 1.0, "s"},
                                               {1e-3, 1e-3, "ms"},
                                               {1e-6, 1e-6, "us"},
                                               {1e-9, 1e-9, "ns"},
                                               {1e-300, 1e-12, "ps"},
                                               {0.0, 1.0, "s"}}};
constexpr std::array<Scale, 6> byte_scales = {{{1e15, 1e15, "PB"},
                                               {1e12, 1e12, "TB"},
                                               {1e9, 1e9, "GB"},
                                               {1e6, 1e6, "MB"},
                                               {1e3, 1e3, "kB"},
                                               {0.0, 1.0, "B"}}};
constexpr std::array<Scale, 4> flop_scales = {
    {{1e15, 1e15, "PFLOP"}, {1e12, 1e12, "TFLOP"}, {1e9, 1e9, "GFLOP"}, {0.0, 1.0, "FLOP"}}};

}  // namespace

std::string quantity_text(double si, Dimension dimension, int digits) {
  switch (dimension) {
    case Dimension::time:
      return scaled(si, time_scales, digits);
    case Dimension::bytes:
      return scaled(si, byte_scales, digits);
    case Dimension::byte_rate:
      return scaled(si, byte_scales, digits) + "/s";
    case Dimension::flops:
      return scaled(si, flop_scales, digits);
    case Dimension::flop_rate:
      return scaled(si, flop_scales, digits) + "/s";
    case Dimension::power:
      return fmt::format("{:.{}g} W", si, digits);
    case Dimension::money:
      return fmt::format("{:.2f} USD", si);
    case Dimension::money_per_time:
      return fmt::format("{:.{}g} USD/h", si * 3600.0, digits);
  }
  return {};
}

}  // namespace lockstep
