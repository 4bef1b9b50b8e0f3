// SPDX-License-Identifier: Apache-2.0
// Documents made to do harm: too deep, too wide, too large, not there. All are refused, none kills.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "lockstep/platforms/document.hpp"
#include "lockstep/platforms/error.hpp"
#include "lockstep/sim/engine/isolate.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/problems.hpp"

namespace {

namespace fs = std::filesystem;
using lockstep::apply_setting;
using lockstep::Error;
using lockstep::ErrorKind;
using lockstep::parse_json;
using lockstep::parse_toml;
using lockstep::read_document;
using lockstep::testing::problems_of;
using lockstep::testing::words;

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// "{sep}a{sep}a..." without the first separator.
std::string dotted(int parts) {
  return "a" + repeated(".a", parts - 1);
}

/// What the refusal says, got in a child process: a stack overflow would end this one.
std::string refusal_in_child(const std::string& toml) {
  std::string said;
  try {
    lockstep::run_isolated(
        [&](const auto& send) {
          const std::string text = words(problems_of([&] { return parse_toml(toml, "a.toml"); }));
          send(text.data(), text.size());
        },
        [&](const char* bytes, std::size_t size) { said.append(bytes, size); });
  } catch (const Error& error) {
    return std::string("the reader died: ") + error.what();
  }
  return said;
}

ErrorKind kind_of_reading(const std::string& path) {
  try {
    static_cast<void>(read_document(path));
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

}  // namespace

TEST_CASE("deep nesting is refused", "[document]") {
  constexpr int deep = 100'000;
  CHECK_THAT(words(problems_of(
                 [&] { return parse_json(repeated("[", deep) + repeated("]", deep), "a.json"); })),
             Catch::Contains("nested deeper than 64"));
  CHECK_THAT(words(problems_of([&] {
               return parse_json(repeated("{\"a\":", deep) + "1" + repeated("}", deep), "a.json");
             })),
             Catch::Contains("nested deeper than 64"));
  CHECK_THAT(refusal_in_child("x = " + repeated("[", deep) + repeated("]", deep)),
             Catch::StartsWith("a.toml:1:"));
  CHECK_THAT(refusal_in_child("x = " + repeated("{a=", deep) + "1" + repeated("}", deep)),
             Catch::StartsWith("a.toml:1:"));
}

TEST_CASE("deep nesting by dotted keys is refused", "[document]") {
  constexpr int deep = 200'000;
  CHECK_THAT(refusal_in_child(dotted(deep) + " = 1\n"), Catch::StartsWith("a.toml:1:"));
  CHECK_THAT(refusal_in_child("[" + dotted(deep) + "]\n"), Catch::StartsWith("a.toml:1:"));
}

TEST_CASE("64 levels are read and 65 refused, however they are made", "[document]") {
  const auto refused = [](const std::string& toml) {
    return words(problems_of([&] { return parse_toml(toml, "a.toml"); }));
  };
  CHECK(refused(dotted(64) + " = 1\n").empty());
  CHECK(refused("[" + dotted(63) + "]\na = 1\n").empty());
  for (const std::string& toml :
       {dotted(65) + " = 1\n", "[" + dotted(65) + "]\n", "[[" + dotted(65) + "]]\n",
        "[" + dotted(40) + "]\n" + dotted(40) + " = 1\n", "x = {" + dotted(65) + " = 1}\n",
        "x = " + repeated("[", 65) + repeated("]", 65) + "\n",
        dotted(40) + " = {" + dotted(40) + " = 1}\n", "a . " + dotted(64) + " = 1\n",
        "\"a.b\".'c'." + dotted(63) + " = 1\n"})
    CHECK_THAT(refused(toml), Catch::Contains("is nested deeper than 64 levels"));
}

TEST_CASE("dots and brackets in texts and comments nest nothing", "[document]") {
  const std::string noise = repeated("a.[{", 100);
  CHECK_NOTHROW(parse_toml("# " + noise + "\na = \"\\\"" + noise + "\" # " + noise + "\nb = '" +
                               noise + "\\'\nc = \"\"\"" + noise + " \\\"\"\" \"" + noise +
                               "\n\"\"\"\"\"\nd = '''" + noise + " '' " + noise + "'''\ne = [" +
                               repeated("1.5, ", 100) + "]\n\"" + noise + "\" = 1\n",
                           "a.toml"));
}

TEST_CASE("a setting has at most 64 parts, none of them empty", "[document]") {
  const auto refused = [](const std::string& setting) {
    lockstep::Document document = parse_toml("", "a.toml");
    return words(problems_of([&] {
      apply_setting(document, setting);
      return 0;
    }));
  };
  CHECK(refused(dotted(64) + "=1").empty());
  CHECK_THAT(refused(dotted(65) + "=1"), Catch::Contains("more than 64 parts"));
  CHECK_THAT(refused(dotted(60'000) + "=1"), Catch::Contains("more than 64 parts"));
  for (const char* setting : {"a..b=1", ".a=1", "a.=1"})
    CHECK_THAT(refused(setting), Catch::Contains("a part of the key is empty"));
}

TEST_CASE("a large table keeps the order of its keys and finds each", "[document]") {
  lockstep::Table table;
  const auto key = [](int i) { return "k" + std::to_string(i * 7919 % 1000); };
  for (int i = 0; i < 1000; ++i) table.set(key(i), i);
  for (int i = 0; i < 1000; i += 2) table.erase(key(i));
  table.set(key(1), -1);
  table.erase("none");
  REQUIRE(table.size() == 500);
  for (int i = 0; i < 1000; ++i) CHECK((table.find(key(i)) != nullptr) == (i % 2 == 1));
  CHECK(table.entries()[1].key == key(3));
  CHECK(*table.find(key(1))->integer() == -1);
  CHECK(*table.find(key(999))->integer() == 999);
  while (table.size() > 3) table.erase(table.entries().front().key);
  CHECK(*table.find(key(999))->integer() == 999);
}

TEST_CASE("many objects of many keys take little time", "[document]") {
  std::string object = "{\"k0\":0";
  for (int i = 1; i < 4000; ++i) object += ",\"k" + std::to_string(i) + "\":1";
  object += "}";
  const auto start = std::chrono::steady_clock::now();
  CHECK_NOTHROW(parse_json("{\"x\":[" + object + repeated("," + object, 99) + "]}", "a.json"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("JSON that is not UTF-8 says so with its place", "[document]") {
  const auto problems = problems_of([] { return parse_json("{\n \"a\": \"\xff\"}", "a.json"); });
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().where == "a.json:2:8");
  CHECK(problems.front().message == "is not JSON: a byte that is not UTF-8");
}

TEST_CASE("nesting that scenarios may have is read", "[document]") {
  CHECK_NOTHROW(parse_json(repeated("{\"a\":", 60) + "1" + repeated("}", 60), "a.json"));
  CHECK_NOTHROW(parse_toml(dotted(30) + " = 1\n", "a.toml"));
}

TEST_CASE("a table of more than 4096 keys is refused, of 4096 read", "[document]") {
  const auto toml = [](int keys) {
    std::string text;
    for (int i = 0; i < keys; ++i) text += "key" + std::to_string(i) + " = 1\n";
    return text;
  };
  const auto json = [](int keys) {
    std::string text = "{\"s\":{\"key\":0";
    for (int i = 1; i < keys; ++i) text += ",\"key" + std::to_string(i) + "\":1";
    return text + "}}";
  };
  CHECK(parse_toml(toml(4096), "a.toml").root.size() == 4096);
  CHECK(parse_json(json(4096), "a.json").root.find("s")->table()->size() == 4096);
  CHECK_THAT(words(problems_of([&] { return parse_toml(toml(4097), "a.toml"); })),
             Catch::Contains("more than 4096 keys"));
  CHECK_THAT(words(problems_of([&] { return parse_json(json(4097), "a.json"); })),
             Catch::Contains("more than 4096 keys") && Catch::StartsWith("a.json:/s/"));
}

TEST_CASE("a file is read by its name's end, and refused when it cannot be", "[document]") {
  const fs::path folder = fs::temp_directory_path() / "lockstep_unit_document";
  fs::create_directories(folder);
  const auto file = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  };
  CHECK(*read_document(file("a.json", "{\"n\": 1}")).root.find("n")->integer() == 1);
  CHECK(*read_document(file("a.toml", "n = 1\n")).root.find("n")->integer() == 1);
  CHECK(read_document(file("a.toml", "n = 1\n")).root.find("n")->where ==
        (folder / "a.toml").string() + ":1:1");
  CHECK(kind_of_reading((folder / "none.toml").string()) == ErrorKind::io);
  CHECK(kind_of_reading(folder.string()) == ErrorKind::io);
  const auto most = static_cast<std::size_t>(lockstep::largest_document);
  CHECK(kind_of_reading(file("large.toml", std::string(most + 1, '\n'))) == ErrorKind::input);
  CHECK(read_document(file("full.toml", std::string(most, '\n'))).root.empty());
  fs::remove_all(folder);
}
