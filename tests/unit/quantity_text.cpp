// SPDX-License-Identifier: Apache-2.0
// Texts with units: what each prefix and unit is worth, and what is refused with which hint.
#include "lockstep/platforms/quantity_text.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/tolerances.hpp"

namespace {

using lockstep::Dimension;
using lockstep::parse_quantity;
using lockstep::ParsedQuantity;
using lockstep::quantity_text;

struct Accepted {
  std::string text;
  Dimension dimension;
  double si;
};

struct Refused {
  std::string text;
  Dimension dimension;
  std::string problem;  // a part of the message
};

void check_accepted(const std::vector<Accepted>& cases) {
  for (const Accepted& item : cases) {
    INFO(item.text);
    const ParsedQuantity parsed = parse_quantity(item.text, item.dimension);
    CHECK(parsed.problem.empty());
    CHECK(lockstep::tolerance::equal(parsed.si, item.si, lockstep::tolerance::exact));
  }
}

void check_refused(const std::vector<Refused>& cases) {
  for (const Refused& item : cases) {
    INFO(item.text.substr(0, 80));
    const ParsedQuantity parsed = parse_quantity(item.text, item.dimension);
    CHECK_THAT(parsed.problem, Catch::Contains(item.problem));
    CHECK_FALSE(parsed.hint.empty());
    CHECK(parsed.si == 0.0);
  }
}

}  // namespace

TEST_CASE("decimal prefixes are powers of 1000, binary ones of 1024", "[quantity_text]") {
  check_accepted({{"1 B", Dimension::bytes, 1.0},
                  {"1 kB", Dimension::bytes, 1e3},
                  {"1 KB", Dimension::bytes, 1e3},
                  {"1 MB", Dimension::bytes, 1e6},
                  {"80 GB", Dimension::bytes, 80e9},
                  {"1 TB", Dimension::bytes, 1e12},
                  {"1 PB", Dimension::bytes, 1e15},
                  {"1 EB", Dimension::bytes, 1e18},
                  {"1 KiB", Dimension::bytes, 1024.0},
                  {"1 MiB", Dimension::bytes, 1048576.0},
                  {"80 GiB", Dimension::bytes, 80.0 * 1073741824.0},
                  {"1 TiB", Dimension::bytes, 1099511627776.0},
                  {"1 PiB", Dimension::bytes, 1125899906842624.0},
                  {"1 GiB/s", Dimension::byte_rate, 1073741824.0}});
}

TEST_CASE("eight bits are a byte", "[quantity_text]") {
  check_accepted({{"8 bit", Dimension::bytes, 1.0},
                  {"1 Gbit", Dimension::bytes, 1.25e8},
                  {"1 Gibit", Dimension::bytes, 134217728.0},
                  {"400 Gbit/s", Dimension::byte_rate, 5e10},
                  {"400 Gbps", Dimension::byte_rate, 5e10},
                  {"10 Mbps", Dimension::byte_rate, 1.25e6},
                  {"8 bps", Dimension::byte_rate, 1.0},
                  {"450 GB/s", Dimension::byte_rate, 450e9}});
}

TEST_CASE("times, operations, power and money", "[quantity_text]") {
  check_accepted({{"1.8 s", Dimension::time, 1.8},
                  {"250 ms", Dimension::time, 0.25},
                  {"10 us", Dimension::time, 1e-5},
                  {"500 ns", Dimension::time, 5e-7},
                  {"3 ps", Dimension::time, 3e-12},
                  {"2 min", Dimension::time, 120.0},
                  {"25 h", Dimension::time, 90000.0},
                  {"1 d", Dimension::time, 86400.0},
                  {"989 TFLOP/s", Dimension::flop_rate, 989e12},
                  {"989 TFLOPs/s", Dimension::flop_rate, 989e12},
                  {"989 TFLOPS", Dimension::flop_rate, 989e12},
                  {"989 Tflop/s", Dimension::flop_rate, 989e12},
                  {"275 TOP/s", Dimension::flop_rate, 275e12},
                  {"275 TOPS", Dimension::flop_rate, 275e12},
                  {"2 TFLOP", Dimension::flops, 2e12},
                  {"2 TFLOPs", Dimension::flops, 2e12},
                  {"1 Eflop", Dimension::flops, 1e18},
                  {"700 W", Dimension::power, 700.0},
                  {"10.2 kW", Dimension::power, 10200.0},
                  {"30000 USD", Dimension::money, 30000.0},
                  {"36 USD/h", Dimension::money_per_time, 0.01},
                  {"36 $/h", Dimension::money_per_time, 0.01},
                  {"0.5 USD/s", Dimension::money_per_time, 0.5}});
}

TEST_CASE("microseconds in both Greek letters", "[quantity_text]") {
  check_accepted({{"10 \xc2\xb5s", Dimension::time, 1e-5},         // U+00B5, the micro sign
                  {"10 \xce\xbcs", Dimension::time, 1e-5}});       // U+03BC, the letter mu
  check_refused({{"10 \xb5s", Dimension::time, "unknown unit"}});  // Latin-1 is not UTF-8
}

TEST_CASE("a submultiple is exact to the last digit", "[quantity_text]") {
  CHECK(parse_quantity("10 us", Dimension::time).si == 1e-5);
  CHECK(parse_quantity("500 ns", Dimension::time).si == 5e-7);
  CHECK(parse_quantity("0.3 ms", Dimension::time).si == 3e-4);
}

TEST_CASE("blanks, signs and exponents", "[quantity_text]") {
  check_accepted({{"80GiB", Dimension::bytes, 80.0 * 1073741824.0},
                  {"  5\t s \n", Dimension::time, 5.0},
                  {"+5 s", Dimension::time, 5.0},
                  {"-5 s", Dimension::time, -5.0},
                  {"1e3 s", Dimension::time, 1000.0},
                  {"1.5E-3 s", Dimension::time, 0.0015},
                  {".5 s", Dimension::time, 0.5},
                  {"-0 s", Dimension::time, 0.0}});
  check_refused({{"+-5 s", Dimension::time, "no number"},
                 {"++5 s", Dimension::time, "no number"},
                 {"--5 s", Dimension::time, "no number"},
                 {"1,5 s", Dimension::time, "unknown unit"},
                 {"0x10 s", Dimension::time, "unknown unit"},
                 {"1_000 s", Dimension::time, "unknown unit"},
                 {"1 000 s", Dimension::time, "unknown unit"}});
}

TEST_CASE("a lower-case b is doubtful: the hint gives both ways out", "[quantity_text]") {
  for (const char* text : {"400 Gb/s", "400 Mb/s", "1 b/s"}) {
    INFO(text);
    const ParsedQuantity parsed = parse_quantity(text, Dimension::byte_rate);
    CHECK_THAT(parsed.problem, Catch::Contains("bit or byte"));
    CHECK_THAT(parsed.hint, Catch::Contains("Gbit/s") && Catch::Contains("GB/s"));
  }
  check_refused({{"80 Gb", Dimension::bytes, "bit or byte"},
                 {"80 Mib", Dimension::bytes, "bit or byte"},
                 {"80 b", Dimension::bytes, "bit or byte"}});
}

TEST_CASE("a bare number is refused with the units", "[quantity_text]") {
  check_refused({{"5", Dimension::time, "no unit"}, {"5 ", Dimension::bytes, "no unit"}});
  CHECK_THAT(parse_quantity("5", Dimension::time).hint,
             Catch::Contains("a time") && Catch::Contains("1.8 s") && Catch::Contains("us"));
}

TEST_CASE("a unit of another dimension is refused by name", "[quantity_text]") {
  check_refused({{"5 GB", Dimension::byte_rate, "a size in bytes"},
                 {"5 GB/s", Dimension::bytes, "a rate in bytes"},
                 {"5 TFLOPS", Dimension::flops, "a rate of operations"},
                 {"5 TFLOP", Dimension::flop_rate, "a number of operations"},
                 {"5 s", Dimension::power, "a time"},
                 {"5 USD", Dimension::money_per_time, "an amount of money"},
                 {"5 USD/h", Dimension::money, "a price of time"}});
}

TEST_CASE("what is not a finite number is refused", "[quantity_text]") {
  check_refused({{"nan s", Dimension::time, "not finite"},
                 {"inf s", Dimension::time, "not finite"},
                 {"-inf s", Dimension::time, "not finite"},
                 {"infinity s", Dimension::time, "not finite"},
                 {"1e999 s", Dimension::time, "out of range"},
                 {"1e-999 s", Dimension::time, "out of range"},
                 {"1e300 PB", Dimension::bytes, "out of range"}});
}

TEST_CASE("garbage is refused and shown cut", "[quantity_text]") {
  check_refused({{"", Dimension::time, "no number"},
                 {"   ", Dimension::time, "no number"},
                 {"s", Dimension::time, "no number"},
                 {"five s", Dimension::time, "no number"},
                 {"5 parsec", Dimension::time, "unknown unit"},
                 {"5 mB", Dimension::bytes, "unknown unit"},
                 {"5 KiFLOP", Dimension::flops, "unknown unit"},
                 {"5 Kms", Dimension::time, "unknown unit"},
                 {"5 GB/", Dimension::byte_rate, "unknown unit"},
                 {"5 GB/s/s", Dimension::byte_rate, "unknown unit"},
                 {std::string("5 s\0s", 5), Dimension::time, "unknown unit"},
                 {"5 s s", Dimension::time, "unknown unit"}});
  const std::string huge(1'000'000, 'x');
  check_refused({{huge, Dimension::time, "no number"},
                 {"5 " + huge, Dimension::time, "unknown unit"},
                 {std::string(1'000'000, '9') + " s", Dimension::time, "out of range"}});
  CHECK(parse_quantity("5 " + huge, Dimension::time).problem.size() < 300);
}

TEST_CASE("the outside names of every dimension", "[quantity_text]") {
  for (const Dimension dimension :
       {Dimension::time, Dimension::bytes, Dimension::byte_rate, Dimension::flops,
        Dimension::flop_rate, Dimension::power, Dimension::money, Dimension::money_per_time}) {
    const lockstep::DimensionInfo& info = lockstep::info_of(dimension);
    INFO(info.name);
    CHECK_FALSE(info.units.empty());
    CHECK(info.suffix.front() == '_');
    CHECK(info.suffix_to_si > 0.0);
    CHECK(parse_quantity(info.example, dimension).problem.empty());
  }
  CHECK(lockstep::info_of(Dimension::money_per_time).suffix == "_usd_per_hour");
  CHECK(lockstep::info_of(Dimension::money_per_time).suffix_to_si == 1.0 / 3600.0);
  CHECK(lockstep::dimension_of<lockstep::BytesPerSecond> == Dimension::byte_rate);
  CHECK(lockstep::dimension_of<lockstep::UsdPerSecond> == Dimension::money_per_time);
}

TEST_CASE("a value is shown in the unit a person would choose", "[quantity_text]") {
  CHECK(quantity_text(lockstep::Seconds(4.662)) == "4.662 s");
  CHECK(quantity_text(lockstep::Seconds(0.0)) == "0 s");
  CHECK(quantity_text(lockstep::Seconds(0.0015)) == "1.5 ms");
  CHECK(quantity_text(lockstep::Seconds(5e-6)) == "5 us");
  CHECK(quantity_text(lockstep::Seconds(-5e-6)) == "-5 us");
  CHECK(quantity_text(lockstep::Seconds(5e-7)) == "500 ns");
  CHECK(quantity_text(lockstep::Seconds(360000.0)) == "100 h");
  CHECK(quantity_text(lockstep::BytesPerSecond(37.5e9)) == "37.5 GB/s");
  CHECK(quantity_text(lockstep::Bytes(999.0)) == "999 B");
  CHECK(quantity_text(lockstep::FlopsPerSecond(989e12)) == "989 TFLOP/s");
  CHECK(quantity_text(lockstep::UsdPerSecond(32.0 / 3600.0)) == "32 USD/h");
  CHECK(quantity_text(lockstep::Watts(700.0)) == "700 W");
  CHECK(quantity_text(lockstep::Seconds(1.23456789), 7) == "1.234568 s");
}

TEST_CASE("what is shown reads back to nearly the same", "[quantity_text]") {
  for (const Dimension dimension : {Dimension::time, Dimension::bytes, Dimension::byte_rate,
                                    Dimension::flops, Dimension::flop_rate, Dimension::power})
    for (const double si : {1.0, 1.5e3, 7.25e6, 9.875e9, 3.5e12, 1.0625e15}) {
      const std::string text = quantity_text(si, dimension, 17);
      INFO(text);
      const ParsedQuantity parsed = parse_quantity(text, dimension);
      CHECK(lockstep::tolerance::equal(parsed.si, si, lockstep::tolerance::exact));
    }
}
