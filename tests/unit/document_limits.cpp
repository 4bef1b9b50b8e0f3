// SPDX-License-Identifier: Apache-2.0
// Documents made to do harm: too deep, too wide, too large, not there. All are refused, none kills.
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
