// SPDX-License-Identifier: Apache-2.0
// Errors: kinds and exit codes, texts, and many problems at once.
#include "lockstep/platforms/error.hpp"

#include <set>
#include <string>

#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::Diagnostic;
using lockstep::Diagnostics;
using lockstep::Error;
using lockstep::ErrorKind;

}  // namespace

TEST_CASE("every kind has its word and its exit code", "[error]") {
  CHECK(std::string(lockstep::name_of(ErrorKind::input)) == "input");
  CHECK(std::string(lockstep::name_of(ErrorKind::unsupported)) == "unsupported");
  CHECK(std::string(lockstep::name_of(ErrorKind::simulation)) == "simulation");
  CHECK(std::string(lockstep::name_of(ErrorKind::io)) == "io");
  CHECK(std::string(lockstep::name_of(ErrorKind::internal)) == "internal");
  CHECK(lockstep::exit_code_of(ErrorKind::input) == 2);
  CHECK(lockstep::exit_code_of(ErrorKind::unsupported) == 3);
  CHECK(lockstep::exit_code_of(ErrorKind::simulation) == 4);
  CHECK(lockstep::exit_code_of(ErrorKind::io) == 5);
  CHECK(lockstep::exit_code_of(ErrorKind::internal) == 70);
}

TEST_CASE("a diagnostic reads: where, what, hint", "[error]") {
  CHECK(lockstep::to_text({"a.toml:3:1", "n is 0", "must be at least 1"}) ==
        "a.toml:3:1: n is 0 (must be at least 1)");
  CHECK(lockstep::to_text({"", "n is 0", ""}) == "n is 0");
  CHECK(lockstep::to_text({"--set n", "n is 0", ""}) == "--set n: n is 0");
}

TEST_CASE("an error carries what it was made of", "[error]") {
  const Error error(ErrorKind::io, "cannot be opened", "out.json", "name a folder that is there");
  CHECK(error.kind() == ErrorKind::io);
  REQUIRE(error.diagnostics().size() == 1);
  CHECK(error.diagnostics().front().where == "out.json");
  CHECK(error.diagnostics().front().hint == "name a folder that is there");
  CHECK(std::string(error.what()) == "out.json: cannot be opened (name a folder that is there)");
}

TEST_CASE("an error of several problems shows one a line, in order", "[error]") {
  const Error error(ErrorKind::input, {{"a:1:1", "first", ""}, {"a:2:1", "second", "do this"}});
  CHECK(std::string(error.what()) == "a:1:1: first\na:2:1: second (do this)");
}

TEST_CASE("diagnostics collect and are thrown together", "[error]") {
  Diagnostics problems;
  CHECK(problems.empty());
  CHECK_NOTHROW(problems.throw_if_any());
  problems.add("a:1:1", "first");
  problems.add("a:2:1", "second", "hint");
  CHECK(problems.size() == 2);
  CHECK_FALSE(problems.empty());
  try {
    problems.throw_if_any();
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::input);
    REQUIRE(error.diagnostics().size() == 2);
    CHECK(error.diagnostics()[0].message == "first");
    CHECK(error.diagnostics()[1].hint == "hint");
  }
}

TEST_CASE("a broken check is our bug and names its place", "[error]") {
  const auto checked = [](int value) {
    LOCKSTEP_CHECK(value == 1, "value must be one");
    return value;
  };
  CHECK(checked(1) == 1);
  try {
    checked(2);
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
    CHECK(error.diagnostics().front().message == "value must be one");
    CHECK_THAT(error.diagnostics().front().where,
               Catch::StartsWith("error.cpp:") && Catch::Contains("value == 1"));
    CHECK_THAT(error.diagnostics().front().hint, Catch::Contains("report"));
  }
}

TEST_CASE("only the first hundred problems are kept, the others counted", "[error]") {
  lockstep::Diagnostics problems;
  for (int i = 0; i < 100; ++i) problems.add("a", std::to_string(i));
  CHECK(problems.full());
  for (int i = 0; i < 23; ++i) problems.add("a", "more");
  CHECK(problems.size() == 123);
  try {
    problems.throw_if_any();
    FAIL("nothing was thrown");
  } catch (const lockstep::Error& error) {
    REQUIRE(error.diagnostics().size() == 101);
    CHECK(error.diagnostics()[99].message == "99");
    CHECK(to_text(error.diagnostics().back()) == "... and 23 more");
  }
}
