// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/workload.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "lockstep/analytic/precision.hpp"
#include "lockstep/platforms/catalogue.hpp"
#include "lockstep/platforms/error.hpp"

namespace lockstep {
namespace {

constexpr std::array<std::pair<std::string_view, WorkloadKind>, 7> kinds = {
    {{"Workload", WorkloadKind::base},
     {"TransformerWorkload", WorkloadKind::transformer},
     {"SparseTransformerWorkload", WorkloadKind::sparse_transformer},
     {"CNNWorkload", WorkloadKind::cnn},
     {"SSMWorkload", WorkloadKind::ssm},
     {"DiffusionWorkload", WorkloadKind::diffusion},
     {"EmbodiedWorkload", WorkloadKind::embodied}}};

const std::vector<std::string>& kind_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, kind] : kinds) list.emplace_back(name);
    return list;
  }();
  return names;
}

Bytes either_size(const Workload& workload, Bytes width, bool prefer_size) {
  if (workload.model_size && prefer_size) return *workload.model_size;
  if (workload.parameters) return *workload.parameters * width;
  if (workload.model_size) return *workload.model_size;
  throw Error(ErrorKind::input,
              fmt::format("workload {} has neither parameters nor a model_size", workload.name));
}

void read_counts(TableReader& reader, Workload& workload) {
  workload.layers = reader.optional_count("layers");
  workload.hidden_dim = reader.optional_count("hidden_dim");
  workload.heads = reader.optional_count("heads");
  workload.context_length = reader.optional_count("context_length");
  workload.experts = reader.optional_count("experts");
  workload.active_experts_per_token = reader.optional_count("active_experts_per_token");
  workload.denoising_steps = reader.optional_count("denoising_steps");
}

}  // namespace

Bytes size_at(const Workload& workload, std::string_view precision) {
  const auto width = bytes_per_element(precision);
  if (!width)
    throw Error(ErrorKind::input, fmt::format("precision \"{}\" is not known", precision));
  return either_size(workload, *width, precision == "fp16" || precision == "bf16");
}

Bytes size_at_width(const Workload& workload, Bytes width) {
  return either_size(workload, width, width == Bytes(2.0));
}

Workload read_workload(TableReader& parent, std::string_view key) {
  const CatalogueEntry entry =
      resolve_entry(parent, key, CatalogueSection::models,
                    {{"kind"}, {"parameters", "model_size", "model_size_bytes"}});
  Workload workload;
  if (entry.table.empty()) return workload;
  TableReader reader(entry.table, entry.where, parent.problems());
  for (const char* label : {"ref", "source", "provenance", "architecture", "release_year",
                            "head_dim", "training_tokens", "vocab_size", "kv_heads"})
    if (const Value* given = reader.raw(label); given != nullptr && given->text() != nullptr)
      reader.echo(label, *given);
  workload.name = reader.text("name", "workload");
  const std::string kind = reader.choice("kind", kind_names());
  for (const auto& [name, id] : kinds)
    if (name == kind) workload.kind = id;
  workload.parameters = reader.optional_number("parameters", positive);
  const auto raw_magnitude = reader.optional_number("parameters_raw_magnitude", positive);
  workload.parameters_raw_magnitude = raw_magnitude.value_or(workload.parameters.value_or(0.0));
  workload.model_size = reader.optional_quantity<Bytes>("model_size", positive);
  workload.inference_flops = reader.optional_quantity<Flops>("inference", non_negative);
  workload.active_parameters = reader.optional_number("active_parameters", positive);
  if (!reader.has("parameters") && !reader.has("model_size") && !reader.has("model_size_bytes"))
    reader.problem("parameters", "neither parameters nor model_size is given");
  read_counts(reader, workload);
  reader.finish();
  parent.echo(key, Value(reader.resolved()));
  return workload;
}

}  // namespace lockstep
