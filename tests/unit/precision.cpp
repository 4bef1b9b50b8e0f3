// SPDX-License-Identifier: Apache-2.0
// The seven number formats: their widths, and how a file names one.
#include "lockstep/analytic/precision.hpp"

#include <string>

#include "lockstep/tests/support/catch.hpp"

namespace {

using lockstep::bytes_per_element;

std::string read(const std::string& toml, std::string& complaints) {
  const lockstep::Document document = lockstep::parse_toml(toml, "a.toml");
  lockstep::Diagnostics problems;
  lockstep::TableReader reader(document.root, "a.toml:1:1", problems);
  const std::string name = lockstep::read_precision(reader, "precision", "fp16");
  complaints.clear();
  try {
    problems.throw_if_any();
  } catch (const lockstep::Error& error) {
    complaints = error.what();
  }
  return name;
}

}  // namespace

TEST_CASE("the width of every format", "[precision]") {
  CHECK(bytes_per_element("fp32")->si() == 4.0);
  CHECK(bytes_per_element("tf32")->si() == 4.0);
  CHECK(bytes_per_element("bf16")->si() == 2.0);
  CHECK(bytes_per_element("fp16")->si() == 2.0);
  CHECK(bytes_per_element("fp8")->si() == 1.0);
  CHECK(bytes_per_element("int8")->si() == 1.0);
  CHECK(bytes_per_element("int4")->si() == 0.5);
  CHECK(lockstep::precision_names().size() == 7);
}

TEST_CASE("case does not matter, other names have no width", "[precision]") {
  CHECK(bytes_per_element("FP16")->si() == 2.0);
  CHECK(bytes_per_element("Int4")->si() == 0.5);
  for (const char* name : {"fp64", "fp4", "", " fp16", "fp16 ", "half"}) {
    INFO(name);
    CHECK_FALSE(bytes_per_element(name).has_value());
  }
  CHECK(lockstep::lower_case("BF16-x") == "bf16-x");
}

TEST_CASE("a file's precision keeps its spelling, which the size depends on", "[precision]") {
  std::string complaints;
  CHECK(read("precision = \"FP16\"\n", complaints) == "FP16");
  CHECK(complaints.empty());
  CHECK(read("", complaints) == "fp16");
  CHECK(complaints.empty());
}

TEST_CASE("an unknown precision names the nearest", "[precision]") {
  std::string complaints;
  CHECK(read("precision = \"fp6\"\n", complaints) == "fp16");
  CHECK_THAT(complaints, Catch::StartsWith("a.toml:1:1: precision \"fp6\" is not a known") &&
                             Catch::Contains("did you mean fp"));
  read("precision = 16\n", complaints);
  CHECK_THAT(complaints, Catch::Contains("precision is a whole number, not a text"));
  read("precision = \"\"\n", complaints);
  CHECK_FALSE(complaints.empty());
}
