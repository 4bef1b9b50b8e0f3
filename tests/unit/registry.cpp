// SPDX-License-Identifier: Apache-2.0
// Names: the nearest known one, the hint that lists them, and the lookup in a table.
#include "lockstep/platforms/registry.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "lockstep/sim/collectives/collective.hpp"
#include "lockstep/sim/scenario.hpp"
#include "lockstep/sim/schedules/schedule.hpp"
#include "lockstep/tests/support/catch.hpp"
#include "lockstep/traces/writer.hpp"

namespace {

using lockstep::known_names_hint;
using lockstep::nearest_name;

const std::vector<std::string> names = {"gpipe", "1f1b", "interleaved-1f1b"};

struct Info {
  std::string_view name;
};

}  // namespace

TEST_CASE("the nearest name by edits, case ignored", "[registry]") {
  CHECK(nearest_name("gpipe", names) == "gpipe");
  CHECK(nearest_name("GPipe", names) == "gpipe");
  CHECK(nearest_name("gppe", names) == "gpipe");
  CHECK(nearest_name("interleaved1f1b", names) == "interleaved-1f1b");
  CHECK(nearest_name("1f1", names) == "1f1b");
}

TEST_CASE("a name far from all known ones has no nearest", "[registry]") {
  CHECK(nearest_name("dualpipe-v", names).empty());
  CHECK(nearest_name(std::string(100000, 'g'), names).empty());
  CHECK(nearest_name("gpipe", std::vector<std::string>{}).empty());
}

TEST_CASE("the hint says what was meant and what is known", "[registry]") {
  CHECK(known_names_hint("gpip", names) ==
        "did you mean gpipe? known: gpipe, 1f1b, interleaved-1f1b");
  CHECK(known_names_hint("zzzzzzzzzz", names) == "known: gpipe, 1f1b, interleaved-1f1b");
  CHECK(known_names_hint("x", std::vector<std::string>{}) == "known: none");
}

TEST_CASE("the nearest may be a name that is not listed, and is never a guess at nothing",
          "[registry]") {
  const std::vector<std::string> accepted = {"step_time", "step_time_s"};
  CHECK(known_names_hint("step_tim_s", std::vector<std::string>{"step_time"}, accepted) ==
        "did you mean step_time_s? known: step_time");
  CHECK(nearest_name("x", std::vector<std::string>{"n"}).empty());
}

TEST_CASE("a long list is cut to the nearest dozen", "[registry]") {
  std::vector<std::string> many;
  for (char c = 'a'; c <= 'z'; ++c) many.push_back(std::string(8, c));
  const std::string hint = known_names_hint("zzzzzzzy", many);
  CHECK_THAT(hint, Catch::StartsWith("did you mean zzzzzzzz? known: zzzzzzzz, yyyyyyyy"));
  CHECK_THAT(hint, Catch::EndsWith(", ..."));
  CHECK(std::count(hint.begin(), hint.end(), ',') == 12);
}

TEST_CASE("lookup in a table finds by exact name only", "[registry]") {
  static constexpr Info first{"first"};
  static constexpr Info second{"second"};
  const std::array<const Info*, 2> table = {&first, &second};
  const std::span<const Info* const> view(table);
  CHECK(lockstep::find_by_name(view, "second") == &second);
  CHECK(lockstep::find_by_name(view, "Second") == nullptr);
  CHECK(lockstep::names_of(view) == std::vector<std::string>{"first", "second"});
}

TEST_CASE("names of every registry are unique and not empty", "[registry]") {
  const auto check = [](const std::vector<std::string>& listed) {
    REQUIRE_FALSE(listed.empty());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      CHECK_FALSE(listed[i].empty());
      for (std::size_t j = 0; j < i; ++j) CHECK(listed[i] != listed[j]);
    }
  };
  check(lockstep::names_of(lockstep::schedules()));
  check(lockstep::names_of(lockstep::scenario_kinds()));
  check(lockstep::names_of(lockstep::writers()));
  std::vector<std::string> collectives;
  for (const lockstep::CollectiveInfo* info : lockstep::collectives())
    collectives.push_back(std::string(info->operation) + " " + std::string(info->name));
  check(collectives);
}
