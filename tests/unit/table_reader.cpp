// SPDX-License-Identifier: Apache-2.0
// Typed reading: both unit forms, ranges, defaults, unknown keys, and everything reported at once.
#include "lockstep/platforms/table_reader.hpp"

#include <string>
#include <vector>

#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Bytes;
using lockstep::BytesPerSecond;
using lockstep::Diagnostics;
using lockstep::Dimension;
using lockstep::Document;
using lockstep::Error;
using lockstep::non_negative;
using lockstep::parse_toml;
using lockstep::positive;
using lockstep::Seconds;
using lockstep::TableReader;
using lockstep::UsdPerSecond;

/// A reader over a text, with what it complained about.
struct Reading {
  explicit Reading(const std::string& toml)
      : document(parse_toml(toml, "a.toml")), reader(document.root, "a.toml:1:1", problems) {}

  [[nodiscard]] std::string complaints() const {
    try {
      problems.throw_if_any();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  [[nodiscard]] std::string echo() const { return to_json(lockstep::Value(reader.resolved())); }

  Document document;
  Diagnostics problems;
  TableReader reader;
};

}  // namespace

TEST_CASE("a count is a whole number, floats with an integral value too", "[table_reader]") {
  Reading of("a = 4\nb = 4.0\nc = 1e3\n");
  CHECK(of.reader.count("a") == 4);
  CHECK(of.reader.count("b") == 4);
  CHECK(of.reader.count("c") == 1000);
  CHECK(of.reader.count("d", 7) == 7);
  CHECK_FALSE(of.reader.optional_count("e").has_value());
  CHECK(of.complaints().empty());
  CHECK(of.echo() == R"({"a":4,"b":4,"c":1000,"d":7})");
}

TEST_CASE("what is no count is refused", "[table_reader]") {
  const auto refused = [](const std::string& value) {
    Reading of("n = " + value + "\n");
    CHECK(of.reader.count("n") == 1);  // harmless, so that reading goes on
    return of.complaints();
  };
  CHECK(refused("0") == "a.toml:1:1: n is 0 (must be at least 1 and at most 1000000000)");
  CHECK_THAT(refused("-3"), Catch::Contains("n is -3"));
  CHECK_THAT(refused("4.5"), Catch::Contains("n is 4.5, not a whole number"));
  CHECK_THAT(refused("1000000001"), Catch::Contains("at most 1000000000"));
  CHECK_THAT(refused("9223372036854775807"), Catch::Contains("n is 9223372036854775807"));
  CHECK_THAT(refused("1e300"), Catch::Contains("n is 1e+300"));
  CHECK_THAT(refused("nan"), Catch::Contains("not a number"));
  CHECK_THAT(refused("inf"), Catch::Contains("infinite"));
  CHECK_THAT(refused("\"4\""), Catch::Contains("n is a text, not a whole number"));
  CHECK_THAT(refused("true"), Catch::Contains("n is a flag, not a whole number"));
  CHECK_THAT(refused("[4]"), Catch::Contains("n is a list, not a whole number"));
  Reading absent("");
  CHECK(absent.reader.count("n") == 1);
  CHECK(absent.complaints() == "a.toml:1:1: n is missing (a whole number)");
}

TEST_CASE("numbers keep to their bounds", "[table_reader]") {
  Reading of("half = 0.5\none = 1\nnegative = -1.0\nzero = 0\nlarge = 2.0\nbad = nan\n");
  CHECK(of.reader.number("half", lockstep::fraction) == 0.5);
  CHECK(of.reader.number("one", lockstep::fraction) == 1.0);
  CHECK(of.reader.number("negative", lockstep::any_finite) == -1.0);
  CHECK(of.reader.number("zero", non_negative) == 0.0);
  CHECK(of.reader.number("absent", positive, 2.5) == 2.5);
  CHECK_FALSE(of.reader.optional_number("absent_too", positive).has_value());
  CHECK(of.problems.empty());
  of.reader.number("zero", positive);
  of.reader.number("large", lockstep::positive_fraction);
  of.reader.number("bad", lockstep::any_finite);
  of.reader.number("missing", positive);
  CHECK(of.complaints() ==
        "a.toml:4:1: zero is 0 (must be above 0)\n"
        "a.toml:5:1: large is 2 (must be above 0 and at most 1)\n"
        "a.toml:6:1: bad is not a number (must be finite)\n"
        "a.toml:1:1: missing is missing (a number)");
}

TEST_CASE("a quantity comes with a unit, or in SI under the suffixed key", "[table_reader]") {
  Reading of(
      "a = \"1.8 s\"\nb_s = 1.8\nc = \"10 Gbit/s\"\nd_bytes_per_s = 1250000000\n"
      "rate = \"32 USD/h\"\nprice_usd_per_hour = 32\n");
  CHECK(of.reader.quantity<Seconds>("a", positive).si() == 1.8);
  CHECK(of.reader.quantity<Seconds>("b", positive).si() == 1.8);
  CHECK(of.reader.quantity<BytesPerSecond>("c", positive).si() == 1.25e9);
  CHECK(of.reader.quantity<BytesPerSecond>("d", positive).si() == 1.25e9);
  CHECK(of.reader.quantity<UsdPerSecond>("rate", positive).si() == Approx(32.0 / 3600.0));
  CHECK(of.reader.quantity<UsdPerSecond>("price", positive).si() == Approx(32.0 / 3600.0));
  CHECK(of.reader.quantity<Seconds>("e", positive, Seconds(3.0)).si() == 3.0);
  CHECK_FALSE(of.reader.optional_quantity<Bytes>("f", positive).has_value());
  of.reader.finish();
  CHECK(of.complaints().empty());
  CHECK(of.echo() == R"({"a_s":1.8,"b_s":1.8,"c_bytes_per_s":1250000000.0,)"
                     R"("d_bytes_per_s":1250000000.0,"rate_usd_per_hour":32.0,)"
                     R"("price_usd_per_hour":32.0,"e_s":3.0})");
}

TEST_CASE("a wrong quantity is refused once, with what would be right", "[table_reader]") {
  const auto refused = [](const std::string& toml) {
    Reading of(toml);
    static_cast<void>(of.reader.quantity<Seconds>("t", positive));
    CHECK(of.problems.size() == 1);
    return of.complaints();
  };
  CHECK_THAT(refused("t = 1.8\n"),
             Catch::Contains("a.toml:1:1: t is a bare number") && Catch::Contains("t_s"));
  CHECK_THAT(refused("t = \"1.8 s\"\nt_s = 1.8\n"),
             Catch::Contains("t and t_s are the same key") && Catch::Contains("give one"));
  CHECK_THAT(refused("t = \"1.8 GB\"\n"), Catch::Contains("is a size in bytes, not a time"));
  CHECK_THAT(refused("t = \"0 s\"\n"), Catch::Contains("t is 0 s (must be above 0)"));
  CHECK_THAT(refused("t_s = -1\n"), Catch::Contains("t_s is -1"));
  CHECK_THAT(refused("t_s = \"1.8 s\"\n"), Catch::Contains("t_s is a text, not a number"));
  CHECK_THAT(refused("t_s = inf\n"), Catch::Contains("t_s is infinite"));
  CHECK_THAT(refused("t = [1]\n"), Catch::Contains("t is a list"));
  CHECK_THAT(refused("u = 1\n"), Catch::Contains("t is missing (a time, e.g. t = \"1.8 s\")"));
}

TEST_CASE("one value or a list of values with a dimension", "[table_reader]") {
  Reading of("one = \"2 s\"\nmany = [\"1 s\", \"500 ms\"]\nbare_s = [1, 0.5]\nempty = []\n");
  const auto times = [&](const char* key) {
    return of.reader.quantities(key, Dimension::time, non_negative);
  };
  CHECK(times("one") == std::vector<double>{2.0});
  CHECK(times("many") == std::vector<double>{1.0, 0.5});
  CHECK(times("bare") == std::vector<double>{1.0, 0.5});
  CHECK(times("absent").empty());
  CHECK(of.problems.empty());
  times("empty");
  CHECK_THAT(of.complaints(), Catch::Contains("empty is an empty list"));
  Reading bad("t = [\"1 s\", 2, \"-1 s\"]\n");
  CHECK(bad.reader.quantities("t", Dimension::time, non_negative).size() == 3);
  CHECK(bad.problems.size() == 2);
  Reading numbers("n = [1, 2.5]\nm = 3\n");
  CHECK(numbers.reader.numbers("n", positive) == std::vector<double>{1.0, 2.5});
  CHECK(numbers.reader.numbers("m", positive).empty());
  CHECK_THAT(numbers.complaints(), Catch::Contains("m is a whole number, not a list of numbers"));
}

TEST_CASE("texts, flags and choices", "[table_reader]") {
  const std::vector<std::string> known = {"eager", "rendezvous"};
  Reading of("name = \"x\"\nflag = true\np2p = \"egaer\"\nn = 5\nkind = 5\n");
  CHECK(of.reader.text("name") == "x");
  CHECK(of.reader.text("other", "y") == "y");
  CHECK(of.reader.flag("flag"));
  CHECK_FALSE(of.reader.flag("off", false));
  CHECK(of.reader.choice("mode", known, "rendezvous") == "rendezvous");
  CHECK(of.problems.empty());
  CHECK(of.reader.choice("p2p", known, "eager") == "eager");
  CHECK_THAT(of.complaints(),
             Catch::Contains("p2p \"egaer\" is not known (did you mean eager? known: eager"));
  of.reader.flag("n");
  of.reader.text("kind");
  of.reader.text("missing");
  CHECK(of.problems.size() == 4);
}

TEST_CASE("null means absent", "[table_reader]") {
  const Document document = lockstep::parse_json(R"({"n": null, "t": null, "t_s": 2})", "a.json");
  Diagnostics problems;
  TableReader reader(document.root, document.root_where, problems);
  CHECK(reader.count("n", 3) == 3);
  CHECK(reader.quantity<Seconds>("t", positive).si() == 2.0);
  CHECK_FALSE(reader.has("n"));
  reader.finish();
  CHECK(problems.empty());
}

TEST_CASE("every unknown key is reported with the nearest known one", "[table_reader]") {
  Reading of("stages = 4\nmicrobatchs = 8\n\nzzz = 1\n");
  of.reader.count("stages");
  of.reader.count("microbatches", 1);
  of.reader.ignore("label");
  of.reader.finish();
  const std::string complaints = of.complaints();
  CHECK(of.problems.size() == 2);
  CHECK_THAT(complaints, Catch::StartsWith("a.toml:2:1: unknown key microbatchs (did you mean "
                                           "microbatches? known: "));
  CHECK_THAT(complaints, Catch::Contains("\na.toml:4:1: unknown key zzz (known: "));
  for (const char* known : {"stages", "microbatches", "label"})
    CHECK_THAT(complaints, Catch::Contains(known));
}

TEST_CASE("a long unknown key is shown cut", "[table_reader]") {
  Reading of(std::string(10000, 'k') + " = 1\n");
  of.reader.finish();
  CHECK(of.problems.size() == 1);
  CHECK(of.complaints().size() < 200);
}

TEST_CASE("what was read feeds back to the same", "[table_reader]") {
  const auto read = [](Reading& of) {
    of.reader.count("n", 3);
    of.reader.number("x", positive, 0.1);
    of.reader.quantity<Seconds>("t", positive, Seconds(0.3));
    of.reader.optional_quantity<UsdPerSecond>("rate", positive);
    of.reader.quantities("list", Dimension::byte_rate, positive);
    of.reader.numbers("plain", positive);
    of.reader.text("name", "y");
    of.reader.flag("flag", true);
    of.reader.finish();
  };
  Reading first("t = \"7 us\"\nrate = \"0.7 USD/h\"\nlist = [\"10 Gbit/s\"]\nplain = [1, 0.1]\n");
  read(first);
  REQUIRE(first.complaints().empty());
  Reading second("");
  second.document = lockstep::parse_json(first.echo(), "echo.json");
  read(second);
  CHECK(second.complaints().empty());
  CHECK(second.echo() == first.echo());
}

TEST_CASE("a problem stands at its key, or at the table without it", "[table_reader]") {
  Reading of("a = 1\nb = 2\n");
  of.reader.problem("b", "is odd", "make it even");
  of.reader.problem("c", "is not there");
  CHECK(of.complaints() == "a.toml:2:1: is odd (make it even)\na.toml:1:1: is not there");
}

TEST_CASE("known keys are listed once each, without their SI twins, which may still be meant",
          "[table_reader]") {
  Reading of("tim_s = 1.0\n");
  static_cast<void>(of.reader.quantity<Seconds>("time", positive, Seconds(1.0)));
  static_cast<void>(of.reader.quantities("forward", Dimension::time, positive));
  for (int i = 0; i < 3; ++i) static_cast<void>(of.reader.raw("kind"));
  of.reader.finish();
  CHECK(of.complaints() ==
        "a.toml:1:1: unknown key tim_s (did you mean time_s? known: forward, kind, time)");
}

TEST_CASE("a problem stands at the key in whichever form it is given", "[table_reader]") {
  Reading of("x = 1\nforward_s = [1.0]\n");
  CHECK(of.reader.is_list("forward"));
  CHECK_FALSE(of.reader.is_list("x"));
  CHECK_FALSE(of.reader.is_list("none"));
  of.reader.problem("forward", "is wrong");
  CHECK(of.complaints() == "a.toml:2:1: is wrong");
}
