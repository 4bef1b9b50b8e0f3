// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/reference_training_step.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lockstep/analytic/precision.hpp"
#include "lockstep/platforms/error.hpp"

namespace lockstep {

std::int64_t ReferenceTrainingStepSpec::context_length() const {
  return replica.workload.context_length.value_or(1);
}

std::int64_t ReferenceTrainingStepSpec::global_batch_sequences() const {
  const auto whole =
      static_cast<std::int64_t>(std::trunc(batch_tokens / static_cast<double>(context_length())));
  return whole / batch_divisor * batch_divisor;
}

std::int64_t ReferenceTrainingStepSpec::microbatches_per_replica() const {
  return global_batch_sequences() / (data_parallel() * sequences_per_microbatch);
}

DistributedStepSpec ReferenceTrainingStepSpec::solver() const {
  DistributedStepSpec spec;
  spec.workload = replica.workload;
  spec.fleet = fleet;
  spec.used_accelerators = data_parallel() * replica.replica_gpus();
  spec.tp_size = replica.tensor_parallel();
  spec.pp_size = replica.pipeline_depth();
  spec.batch_size = global_batch_sequences();
  spec.precision = precision;
  spec.efficiency = local_efficiency;
  spec.microbatch_count = microbatches_per_replica();
  spec.overlap_comm = overlap_comm;
  spec.seq_len = context_length();
  return spec;
}

std::vector<std::string> ReferenceTrainingStepSpec::warnings() const {
  std::vector<std::string> list = solver().warnings();
  if (idle_devices() > 0)
    list.push_back(fmt::format("{} of {} accelerators stay idle: {} whole replicas of {} fit",
                               idle_devices(), fleet.total(), data_parallel(),
                               replica.replica_gpus()));
  return list;
}

namespace {

// The replica has its own fleet; the step may run on another.
SelfContainedReplicaSpec read_replica(TableReader& parent) {
  const Value* value = parent.raw("replica");
  SelfContainedReplicaSpec replica;
  if (value == nullptr || value->table() == nullptr) {
    parent.problem("replica", value == nullptr ? "replica is missing" : "replica is not a table",
                   "a table with workload, fleet and bytes_per_param");
    return replica;
  }
  TableReader reader(*value->table(), value->where, parent.problems());
  for (const char* label : {"name", "description"}) static_cast<void>(reader.optional_text(label));
  replica = read_self_contained_replica(reader);
  reader.finish();
  parent.echo("replica", Value(reader.resolved()));
  return replica;
}

void check_batch(TableReader& reader, const ReferenceTrainingStepSpec& spec) {
  const std::int64_t group = spec.replica.replica_gpus();
  if (spec.data_parallel() < 1) {
    reader.problem("fleet", fmt::format("the fleet's {} accelerators hold no whole replica of {}",
                                        spec.fleet.total(), group));
    return;
  }
  if (spec.global_batch_sequences() < 1) {
    reader.problem(
        "batch_tokens",
        fmt::format("{} tokens are less than batch_divisor = {} sequences of {} tokens",
                    spec.batch_tokens, spec.batch_divisor, spec.context_length()),
        fmt::format("at least {} tokens", static_cast<double>(spec.batch_divisor) *
                                              static_cast<double>(spec.context_length())));
    return;
  }
  if (spec.microbatches_per_replica() < 1)
    reader.problem("sequences_per_microbatch",
                   fmt::format("{} sequences over {} replicas leave no whole microbatch of {}",
                               spec.global_batch_sequences(), spec.data_parallel(),
                               spec.sequences_per_microbatch));
}

}  // namespace

ReferenceTrainingStepSpec read_reference_training_step(TableReader& reader) {
  constexpr std::int64_t most = 1'000'000;
  ReferenceTrainingStepSpec spec;
  const std::size_t before = reader.problems().size();
  spec.replica = read_replica(reader);
  spec.fleet = read_cluster(reader);
  spec.batch_tokens = reader.number("batch_tokens", Bound{0.0, true, 1e15});
  spec.batch_divisor = reader.count("batch_divisor");
  spec.sequences_per_microbatch = reader.count("sequences_per_microbatch", {}, 1, most);
  spec.precision = read_precision(reader, "precision");
  spec.local_efficiency = reader.number("local_efficiency", Bound{1e-9, false, 1.0});
  spec.overlap_comm = reader.flag("overlap_comm");
  if (reader.problems().size() > before) return spec;  // the checks below need right inputs
  if (!spec.replica.workload.context_length)
    reader.problem("replica", "the replica's workload has no context_length",
                   "workload = {ref = \"...\", context_length = 2048}");
  else
    check_batch(reader, spec);
  return spec;
}

}  // namespace lockstep
