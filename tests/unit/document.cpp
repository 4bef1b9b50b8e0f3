// SPDX-License-Identifier: Apache-2.0
// Documents: values and places from TOML and JSON, settings from the command line, JSON out.
#include "lockstep/platforms/document.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/problems.hpp"

namespace {

using lockstep::apply_setting;
using lockstep::Document;
using lockstep::parse_json;
using lockstep::parse_toml;
using lockstep::Table;
using lockstep::to_json;
using lockstep::Value;
using lockstep::testing::places;
using lockstep::testing::problems_of;
using lockstep::testing::words;

const Value& at(const Table& table, std::string_view key) {
  const Value* value = table.find(key);
  INFO(key);
  REQUIRE(value != nullptr);
  return *value;
}

Document with_setting(const std::string& toml, const std::string& setting) {
  Document document = parse_toml(toml, "a.toml");
  apply_setting(document, setting);
  return document;
}

std::string json_of(const Document& document) {
  return to_json(Value(document.root));
}

}  // namespace

TEST_CASE("a table keeps the order of its keys", "[document]") {
  Table table;
  CHECK(table.empty());
  table.set("b", 1);
  table.set("a", 2);
  table.set("b", "three");
  REQUIRE(table.size() == 2);
  CHECK(table.entries()[0].key == "b");
  CHECK(*at(table, "b").text() == "three");
  CHECK(table.find("c") == nullptr);
  table.erase("b");
  table.erase("not there");
  CHECK(table.size() == 1);
  Table copy = table;
  copy.set("a", 5);
  CHECK(*at(table, "a").integer() == 2);
}

TEST_CASE("a value knows its type by name", "[document]") {
  CHECK(Value().type_name() == "null");
  CHECK(Value().is_null());
  CHECK(Value(true).type_name() == "a flag");
  CHECK(Value(1).type_name() == "a whole number");
  CHECK(Value(1.0).type_name() == "a number");
  CHECK(Value("x").type_name() == "a text");
  CHECK(Value(lockstep::Array{}).type_name() == "a list");
  CHECK(Value(Table{}).type_name() == "a table");
}

TEST_CASE("TOML: values, order and places of keys", "[document]") {
  const Document document = parse_toml(
      "zulu = 1\n"
      "alpha = 2.5\n"
      "  flag = true\n"
      "[simulation]\n"
      "schedule = \"1f1b\"\n"
      "stage_scale = [1, 1.5]\n"
      "inner = {x = 1}\n",
      "a.toml");
  CHECK(document.name == "a.toml");
  CHECK(document.root_where == "a.toml:1:1");
  CHECK(document.root.entries()[0].key == "zulu");
  CHECK(document.root.entries()[1].key == "alpha");
  CHECK(*at(document.root, "zulu").integer() == 1);
  CHECK(*at(document.root, "alpha").real() == 2.5);
  CHECK(*at(document.root, "flag").flag());
  CHECK(at(document.root, "zulu").where == "a.toml:1:1");
  CHECK(at(document.root, "flag").where == "a.toml:3:3");
  CHECK(at(document.root, "simulation").where == "a.toml:4:2");
  const Table& simulation = *at(document.root, "simulation").table();
  CHECK(at(simulation, "schedule").where == "a.toml:5:1");
  CHECK(at(simulation, "stage_scale").array()->at(1).where == "a.toml:6:19");
  CHECK(at(*at(simulation, "inner").table(), "x").where == "a.toml:7:10");
}

TEST_CASE("TOML: mistakes have line and column", "[document]") {
  const auto place = [](const std::string& toml) {
    const auto problems = problems_of([&] { return parse_toml(toml, "a.toml"); });
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems.front().message, Catch::Contains("TOML") || Catch::Contains("dates"));
    return problems.front().where;
  };
  CHECK_THAT(place("a = 1\na = 2\n"), Catch::StartsWith("a.toml:2:"));
  CHECK_THAT(place("a = 1\nb = \n"), Catch::StartsWith("a.toml:2:"));
  CHECK_THAT(place("a = 1\n[b\n"), Catch::StartsWith("a.toml:2:"));
  CHECK_THAT(place("[#"), Catch::StartsWith("a.toml:1:"));
  CHECK_THAT(place("a = \"\xff\"\n"), Catch::StartsWith("a.toml:1:"));
  CHECK_THAT(place("a = 99999999999999999999\n"), Catch::StartsWith("a.toml:1:"));
  CHECK_THAT(place("a = 1\nb = 2020-01-01\n"), Catch::StartsWith("a.toml:2:"));
}

TEST_CASE("TOML: an empty document is an empty table; nan and inf are numbers", "[document]") {
  CHECK(parse_toml("", "a.toml").root.empty());
  CHECK(parse_toml("# only this\n", "a.toml").root.empty());
  const Document document = parse_toml("a = nan\nb = -inf\n", "a.toml");
  CHECK(std::isnan(*at(document.root, "a").real()));
  CHECK(*at(document.root, "b").real() == -std::numeric_limits<double>::infinity());
}

TEST_CASE("JSON: values, order and pointers", "[document]") {
  const Document document = parse_json(
      R"({"zulu": 1, "a/b~c": {"list": [1, {"x": 2.5}]}, "flag": true, "none": null,
          "big": 18446744073709551615, "low": -5})",
      "a.json");
  CHECK(document.root_where == "a.json:/");
  CHECK(document.root.entries()[0].key == "zulu");
  CHECK(at(document.root, "zulu").where == "a.json:/zulu");
  CHECK(at(document.root, "none").is_null());
  CHECK(*at(document.root, "big").real() == 18446744073709551615.0);
  CHECK(*at(document.root, "low").integer() == -5);
  const Table& inner = *at(document.root, "a/b~c").table();
  CHECK(at(document.root, "a/b~c").where == "a.json:/a~1b~0c");
  const lockstep::Array& list = *at(inner, "list").array();
  CHECK(list[0].where == "a.json:/a~1b~0c/list/0");
  CHECK(list[1].where == "a.json:/a~1b~0c/list/1");
  CHECK(at(*list[1].table(), "x").where == "a.json:/a~1b~0c/list/1/x");
}

TEST_CASE("JSON: syntax mistakes have line and column", "[document]") {
  const auto place = [](const std::string& json) {
    const auto problems = problems_of([&] { return parse_json(json, "a.json"); });
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems.front().message, Catch::Contains("is not JSON"));
    return problems.front().where;
  };
  CHECK_THAT(place("{\"a\": 1,\n\"b\": }"), Catch::StartsWith("a.json:2:"));
  CHECK_THAT(place("{\"a\": NaN}"), Catch::StartsWith("a.json:1:"));
  CHECK_THAT(place("{\"a\": 1e999}"), Catch::StartsWith("a.json:1:"));
  CHECK_THAT(place("{\"a\": \"\xff\"}"), Catch::StartsWith("a.json:1:"));
  CHECK_THAT(place("{\"a\": \"\xed\xa0\x80\"}"), Catch::StartsWith("a.json:1:"));  // a surrogate
  CHECK_THAT(place("{\"a\": 1} x"), Catch::StartsWith("a.json:1:"));
  CHECK_THAT(place("{\"a\": 01}"), Catch::StartsWith("a.json:1:"));
  CHECK_THAT(place("{\"a\": 1"), Catch::StartsWith("a.json:1:"));
  CHECK_THAT(place(""), Catch::StartsWith("a.json"));
}

TEST_CASE("JSON: a root that is no object is refused by its type", "[document]") {
  for (const char* json : {"[]", "1", "\"x\"", "null", "true"}) {
    INFO(json);
    CHECK_THAT(words(problems_of([&] { return parse_json(json, "a.json"); })),
               Catch::Contains("not an object") && Catch::StartsWith("a.json"));
  }
}

TEST_CASE("JSON: every key given twice is reported", "[document]") {
  const auto problems = problems_of([] {
    return parse_json(R"({"a": 1, "a": 2, "s": {"x": 1, "x": 1}, "l": [{"y/": 1, "y/": 2}]})",
                      "a.json");
  });
  CHECK(places(problems) ==
        std::vector<std::string>{"a.json:/a", "a.json:/s/x", "a.json:/l/0/y~1"});
}

TEST_CASE("a setting is a TOML value, else a text", "[document]") {
  CHECK(*at(with_setting("", "m=32").root, "m").integer() == 32);
  CHECK(*at(with_setting("", "m=0.5").root, "m").real() == 0.5);
  CHECK(*at(with_setting("", "m=true").root, "m").flag());
  CHECK(at(with_setting("", "m=[1, 2]").root, "m").array()->size() == 2);
  CHECK(at(with_setting("", "m={ref = \"x\"}").root, "m").table()->size() == 1);
  CHECK(*at(with_setting("", "m=\"1.8 s\"").root, "m").text() == "1.8 s");
  CHECK(*at(with_setting("", "m=1.8 s").root, "m").text() == "1.8 s");
  CHECK(*at(with_setting("", "m=Language.GPT3").root, "m").text() == "Language.GPT3");
  CHECK(*at(with_setting("", "m=a=b").root, "m").text() == "a=b");
  CHECK(at(with_setting("", "m=").root, "m").text()->empty());
  CHECK(*at(with_setting("", "m=1\nn=2").root, "m").text() == "1\nn=2");
}

TEST_CASE("a setting goes down dotted keys and makes missing tables", "[document]") {
  CHECK(json_of(with_setting("[simulation]\np2p = \"eager\"\n", "simulation.p2p=rendezvous")) ==
        R"({"simulation":{"p2p":"rendezvous"}})");
  CHECK(json_of(with_setting("", "a.b.c=1")) == R"({"a":{"b":{"c":1}}})");
  CHECK(at(with_setting("", "a.b=1").root, "a").where == "--set a.b=1");
  CHECK(at(*at(with_setting("", "a.b=[1]").root, "a").table(), "b").array()->front().where ==
        "--set a.b=[1]");
}

TEST_CASE("a setting replaces the other unit form of its key", "[document]") {
  CHECK(json_of(with_setting("step_time_s = 1.8\nn = 1\n", "step_time=2 s")) ==
        R"({"n":1,"step_time":"2 s"})");
  CHECK(json_of(with_setting("step_time = \"1.8 s\"\n", "step_time_s=2")) ==
        R"({"step_time_s":2})");
  CHECK(json_of(with_setting("w_bytes_per_s = 1\n", "w=2 GB/s")) == R"({"w":"2 GB/s"})");
  CHECK(json_of(with_setting("step_time = \"1 s\"\n", "step_time=2 s")) ==
        R"({"step_time":"2 s"})");
}

TEST_CASE("a setting that cannot be is refused", "[document]") {
  CHECK_THAT(words(problems_of([] { return with_setting("", "m"); })),
             Catch::Contains("not key=value"));
  CHECK_THAT(words(problems_of([] { return with_setting("", "=1"); })),
             Catch::Contains("not key=value"));
  CHECK_THAT(words(problems_of([] { return with_setting("m = 1\n", "m.n=1"); })),
             Catch::Contains("m is a whole number, not a table"));
}

TEST_CASE("JSON out: shortest digits, inf as text, nan as null, bad bytes replaced", "[document]") {
  CHECK(to_json(Value(0.1)) == "0.1");
  CHECK(to_json(Value(1e-5)) == "1e-05");
  CHECK(to_json(Value(std::int64_t{1} << 53)) == "9007199254740992");
  CHECK(to_json(Value(std::numeric_limits<double>::infinity())) == "\"inf\"");
  CHECK(to_json(Value(-std::numeric_limits<double>::infinity())) == "\"-inf\"");
  CHECK(to_json(Value(std::numeric_limits<double>::quiet_NaN())) == "null");
  CHECK(to_json(Value()) == "null");
  CHECK(to_json(Value("a\"b\n\xff")) == "\"a\\\"b\\n\xef\xbf\xbd\"");
  CHECK(to_json(Value(parse_json(R"({"b":[1,2.5,true,null,"x"],"a":{}})", "a").root)) ==
        R"({"b":[1,2.5,true,null,"x"],"a":{}})");
  CHECK(to_json(Value(parse_json(R"({"a":1})", "a").root), 2) == "{\n  \"a\": 1\n}");
}

TEST_CASE("numbers survive out and in to the last bit", "[document]") {
  for (const double value : {1.0 / 3.0, 1e-300, 4.9e-324, 1.7976931348623157e308, 450e9 / 7.0}) {
    const Document back = parse_json("{\"x\":" + to_json(Value(value)) + "}", "a");
    const Value& read = at(back.root, "x");
    CHECK((read.real() != nullptr ? *read.real() : static_cast<double>(*read.integer())) == value);
  }
}
