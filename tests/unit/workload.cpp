// SPDX-License-Identifier: Apache-2.0
// Workloads: sizes at a precision (reference, section 0.5), and reading one from a file.
#include "lockstep/analytic/workload.hpp"

#include <string>

#include "lockstep/tests/support/catch.hpp"
#include "lockstep/tests/support/problems.hpp"

namespace {

using lockstep::Bytes;
using lockstep::size_at;
using lockstep::size_at_width;
using lockstep::Workload;
using lockstep::WorkloadKind;
using lockstep::testing::problems_of;
using lockstep::testing::words;

Workload made(std::optional<double> parameters, std::optional<double> size) {
  Workload workload;
  workload.parameters = parameters;
  if (size) workload.model_size = Bytes(*size);
  return workload;
}

struct Read {
  Workload workload;
  std::string complaints;
  std::string echo;
};
Read read(const std::string& json) {
  const lockstep::Document document = lockstep::parse_json(json, "a.json");
  lockstep::Diagnostics problems;
  lockstep::TableReader reader(document.root, document.root_where, problems);
  Read result;
  result.workload = lockstep::read_workload(reader);
  reader.finish();
  result.echo = to_json(lockstep::Value(reader.resolved()));
  result.complaints = words(problems_of([&] { problems.throw_if_any(); }));
  return result;
}

}  // namespace

TEST_CASE("with parameters only, the size is their number times the width", "[workload]") {
  const Workload workload = made(1.5e9, std::nullopt);
  CHECK(size_at(workload, "fp16").si() == 3e9);
  CHECK(size_at(workload, "bf16").si() == 3e9);
  CHECK(size_at(workload, "FP32").si() == 6e9);
  CHECK(size_at(workload, "int4").si() == 0.75e9);
  CHECK(size_at_width(workload, Bytes(1.0)).si() == 1.5e9);
  CHECK(size_at_width(workload, Bytes(2.0)).si() == 3e9);
}

TEST_CASE("with a size only, it is the size at every precision", "[workload]") {
  const Workload workload = made(std::nullopt, 100e9);
  for (const char* precision : {"fp16", "FP16", "fp32", "int4"})
    CHECK(size_at(workload, precision).si() == 100e9);
  for (const double width : {0.5, 2.0, 4.0})
    CHECK(size_at_width(workload, Bytes(width)).si() == 100e9);
}

TEST_CASE("with both, the size counts for exactly fp16 and bf16 in lower case", "[workload]") {
  // Trap T2 of the reference: the text "FP16" is not the text "fp16".
  const Workload workload = made(1e9, 7e9);
  CHECK(size_at(workload, "fp16").si() == 7e9);
  CHECK(size_at(workload, "bf16").si() == 7e9);
  CHECK(size_at(workload, "FP16").si() == 2e9);
  CHECK(size_at(workload, "BF16").si() == 2e9);
  CHECK(size_at(workload, "Fp16").si() == 2e9);
  CHECK(size_at(workload, "fp32").si() == 4e9);
  CHECK(size_at(workload, "fp8").si() == 1e9);
}

TEST_CASE("with both and a width, the size counts for every 2-byte width", "[workload]") {
  const Workload workload = made(1e9, 7e9);
  CHECK(size_at_width(workload, Bytes(2.0)).si() == 7e9);
  CHECK(size_at_width(workload, Bytes(4.0)).si() == 4e9);
  CHECK(size_at_width(workload, Bytes(0.5)).si() == 0.5e9);
}

TEST_CASE("without both, and at an unknown precision, there is no size", "[workload]") {
  CHECK_THAT(words(problems_of([] { return size_at(made({}, {}), "fp16"); })),
             Catch::Contains("neither parameters nor a model_size"));
  CHECK_THAT(words(problems_of([] { return size_at_width(made({}, {}), Bytes(2.0)); })),
             Catch::Contains("neither parameters nor a model_size"));
  CHECK_THAT(words(problems_of([] { return size_at(made(1e9, {}), "fp64"); })),
             Catch::Contains("\"fp64\" is not known"));
}

TEST_CASE("a workload by its catalogue name", "[workload]") {
  const Read found = read(R"({"workload": "Language.GPT2"})");
  CHECK(found.complaints.empty());
  CHECK(found.workload.kind == WorkloadKind::transformer);
  CHECK(found.workload.is_transformer());
  CHECK(found.workload.parameters == 1.5e9);
  CHECK(found.workload.layers == 48);
  CHECK(size_at(found.workload, "fp16").si() == 3e9);
  CHECK_THAT(read(R"({"workload": "Language.GPT22"})").complaints,
             Catch::StartsWith("a.json:/workload: no workload is named") &&
                 Catch::Contains("did you mean Language.GPT2"));
}

TEST_CASE("a workload as a table, and as changes of an entry", "[workload]") {
  const Read own = read(R"({"workload": {"kind": "SparseTransformerWorkload", "parameters": 10,
      "active_parameters": 2.5, "experts": 8, "active_experts_per_token": 2, "name": "own",
      "inference_flops": 5, "model_size": null, "ref": "a label"}})");
  CHECK(own.complaints.empty());
  CHECK(own.workload.name == "own");
  CHECK(own.workload.parameters == 10.0);
  CHECK(own.workload.parameters_raw_magnitude == 10.0);
  CHECK(own.workload.active_parameters == 2.5);
  CHECK(own.workload.experts == 8);
  CHECK(own.workload.active_experts_per_token == 2);
  CHECK(own.workload.inference_flops->si() == 5.0);
  CHECK_FALSE(own.workload.model_size.has_value());
  const Read changed = read(R"({"workload": {"ref": "Language.GPT2", "parameters": 3e9}})");
  CHECK(changed.complaints.empty());
  CHECK(changed.workload.parameters == 3e9);
  CHECK(changed.workload.layers == 48);
}

TEST_CASE("a raw magnitude unlike the parameters is kept apart", "[workload]") {
  const Read found = read(R"({"workload": {"kind": "Workload", "parameters": 1e9,
      "parameters_raw_magnitude": 1000}})");
  CHECK(found.workload.parameters == 1e9);
  CHECK(found.workload.parameters_raw_magnitude == 1000.0);
}

TEST_CASE("every kind has its name", "[workload]") {
  const auto kind = [](const std::string& name) {
    const Read found = read(R"({"workload": {"parameters": 1, "kind": ")" + name + "\"}}");
    CHECK(found.complaints.empty());
    return found.workload.kind;
  };
  CHECK(kind("Workload") == WorkloadKind::base);
  CHECK(kind("TransformerWorkload") == WorkloadKind::transformer);
  CHECK(kind("SparseTransformerWorkload") == WorkloadKind::sparse_transformer);
  CHECK(kind("CNNWorkload") == WorkloadKind::cnn);
  CHECK(kind("SSMWorkload") == WorkloadKind::ssm);
  CHECK(kind("DiffusionWorkload") == WorkloadKind::diffusion);
  CHECK(kind("EmbodiedWorkload") == WorkloadKind::embodied);
}

TEST_CASE("what is wrong in a workload is reported at its place", "[workload]") {
  const Read found = read(R"({"workload": {"kind": "Transformer", "parameters": -1,
      "layers": 1.5, "parameter": 3}})");
  CHECK_THAT(found.complaints,
             Catch::Contains("a.json:/workload/kind: kind \"Transformer\" is not known") &&
                 Catch::Contains("a.json:/workload/parameters: parameters is -1") &&
                 Catch::Contains("a.json:/workload/layers: layers is 1.5") &&
                 Catch::Contains("a.json:/workload/parameter: unknown key parameter"));
}

TEST_CASE("the echo of a workload is complete and feeds back", "[workload]") {
  const Read first = read(R"({"workload": {"ref": "Language.GPT2", "parameters": 3e9}})");
  const Read second = read(first.echo);
  CHECK(second.complaints.empty());
  CHECK(second.echo == first.echo);
  CHECK(second.workload.parameters == first.workload.parameters);
  CHECK(second.workload.context_length == first.workload.context_length);
}
