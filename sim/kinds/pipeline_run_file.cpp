// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/kinds/pipeline_run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lockstep/platforms/registry.hpp"

namespace lockstep {
namespace {

using Times = std::vector<double>;  // empty: not given; one entry: the same everywhere

class RunReader {
 public:
  RunReader(TableReader& table, PipelineScheduleSpec& spec) : table_(table), spec_(spec) {}

  PipelineRun read() {
    read_virtual_stages();
    read_schedule();
    read_times();
    scale_stages();
    read_transfers();
    static const std::vector<std::string> kinds = {"eager", "rendezvous"};
    run_.p2p = table_.choice("p2p", kinds, "eager") == "rendezvous" ? PointToPoint::rendezvous
                                                                    : PointToPoint::eager;
    return std::move(run_);
  }

 private:
  double chunks() const {
    return static_cast<double>(spec_.stages) * static_cast<double>(spec_.virtual_stages);
  }

  void read_virtual_stages() {
    constexpr std::int64_t most = 1'000'000;
    const auto given = table_.optional_count("virtual_stages", 1, most);
    if (!given) return;
    if (spec_.virtual_stages != 1 && *given != spec_.virtual_stages)
      table_.problem(
          "virtual_stages",
          fmt::format("virtual_stages is {} here and {} above", *given, spec_.virtual_stages),
          "give one of them");
    spec_.virtual_stages = *given;
  }

  void read_schedule() {
    const std::string otherwise = spec_.virtual_stages > 1 ? "interleaved-1f1b" : "gpipe";
    const std::string name = table_.choice("schedule", names_of(schedules()), otherwise);
    run_.schedule = find_by_name(schedules(), name);
    if (run_.schedule == nullptr) run_.schedule = schedules().front();
    run_.group = table_.optional_count("group").value_or(0);
    const PipelineShape shape = shape_of(spec_, run_);
    const std::string refusal = run_.schedule->refusal(shape);
    if (!refusal.empty())
      table_.problem(table_.has("group") ? "group" : "schedule",
                     fmt::format("{}: {}", name, refusal));
  }

  // One value for all chunks, or one a chunk.
  Times times(std::string_view key) {
    Times given = table_.quantities(key, Dimension::time, non_negative);
    if (given.size() > 1 && static_cast<double>(given.size()) != chunks()) {
      table_.problem(key, fmt::format("{} has {} entries", key, given.size()),
                     fmt::format("give one, or {:.0f}: one a {} in model order", chunks(),
                                 spec_.virtual_stages > 1 ? "chunk" : "stage"));
      given.assign(1, 1.0);
    }
    return given;
  }

  void read_times() {
    Times forward = times("forward");
    Times whole = times("backward");
    const Times input = times("backward_input");
    const Times weight = times("backward_weight");
    times("forward_backward");  // for schedules that overlap pairs; checked, not used by others
    if (forward.empty()) forward = default_time("forward");
    if (whole.empty() && !input.empty() && !weight.empty()) whole = sum(input, weight);
    if (whole.empty()) {
      if (!input.empty() || !weight.empty())
        table_.problem(input.empty() ? "backward_weight" : "backward_input",
                       "the whole backward is not known from one part of it",
                       "give backward, or both backward_input and backward_weight");
      whole = default_time("backward");
    }
    check_parts(PerChunk(whole), input, weight);
    run_.forward = PerChunk(std::move(forward));
    run_.backward = PerChunk(std::move(whole));
  }

  Times default_time(const char* key) {
    table_.echo(fmt::format("{}_s", key), Value(1.0));
    return Times(1, 1.0);
  }

  static Times sum(const Times& a, const Times& b) {
    const PerChunk left(a);
    const PerChunk right(b);
    Times total(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < total.size(); ++i) total[i] = left[i] + right[i];
    return total;
  }

  void check_parts(const PerChunk& whole, const Times& input, const Times& weight) {
    constexpr double slack = 1e-12;  // of sums of decimal inputs
    if (input.empty() && weight.empty()) return;
    const bool both = !input.empty() && !weight.empty();
    const PerChunk parts(both ? sum(input, weight) : input.empty() ? weight : input);
    const std::size_t count = std::max(parts.values().size(), whole.values().size());
    for (std::size_t i = 0; i < count; ++i) {
      if (parts[i] <= whole[i] * (1 + slack) && !(both && parts[i] < whole[i] * (1 - slack)))
        continue;
      table_.problem(
          weight.empty() ? "backward_input" : "backward_weight",
          fmt::format("the parts of the backward take {} s, the whole {} s", parts[i], whole[i]),
          "backward = backward_input + backward_weight");
      return;
    }
  }

  void scale_stages() {
    constexpr double most_scaled = 1e7;  // a list of 80 MB
    const Value* value = table_.raw("stage_scale");
    if (value == nullptr) return;
    if (chunks() > most_scaled) {
      table_.problem("stage_scale", fmt::format("{:.0f} stages are too many to scale", chunks()));
      return;
    }
    std::vector<double> scale(static_cast<std::size_t>(spec_.stages), 1.0);
    if (value->table() != nullptr) {
      read_scale_table(*value->table(), value->where, scale);
    } else {
      const std::vector<double> given = table_.numbers("stage_scale", positive);
      if (given.size() == scale.size())
        scale = given;
      else if (value->array() != nullptr)
        table_.problem(
            "stage_scale", fmt::format("stage_scale has {} entries", given.size()),
            fmt::format("give {}: one a stage, or a table index -> factor", scale.size()));
    }
    run_.forward = scaled(run_.forward, scale);
    run_.backward = scaled(run_.backward, scale);
  }

  PerChunk scaled(const PerChunk& times, const std::vector<double>& scale) const {
    const PipelineShape shape = shape_of(spec_, run_);
    Times result(static_cast<std::size_t>(shape.chunks()));
    for (std::size_t chunk = 0; chunk < result.size(); ++chunk) {
      const std::int64_t device = run_.schedule->device_of(shape, static_cast<std::int64_t>(chunk));
      result[chunk] = times[chunk] * scale[static_cast<std::size_t>(device)];
    }
    return PerChunk(std::move(result));
  }

  void read_scale_table(const Table& factors, const std::string& where,
                        std::vector<double>& scale) {
    TableReader reader(factors, where, table_.problems());
    for (const Table::Entry& entry : factors.entries()) {
      std::size_t stage = 0;
      const char* end = entry.key.data() + entry.key.size();
      const auto [stop, status] = std::from_chars(entry.key.data(), end, stage);
      const double factor = reader.number(entry.key, positive);
      if (status == std::errc{} && stop == end && stage < scale.size())
        scale[stage] = factor;
      else
        reader.problem(entry.key,
                       fmt::format("stage_scale names no stage \"{}\"", entry.key.substr(0, 40)),
                       fmt::format("stages are 0 to {}", scale.size() - 1));
    }
    table_.echo("stage_scale", Value(reader.resolved()));
  }

  void read_transfers() {
    const Times given = table_.quantities("transfer", Dimension::time, non_negative);
    if (given.empty()) table_.echo("transfer_s", Value(0.0));
    if (given.size() == 1) run_.transfer = PerChunk(given);
    if (given.size() <= 1) return;
    const auto wanted = chunks() > 1e7 ? 0 : boundaries_of(*run_.schedule, shape_of(spec_, run_));
    if (static_cast<std::int64_t>(given.size()) == wanted)
      run_.transfer = PerChunk(given);
    else
      table_.problem("transfer", fmt::format("transfer has {} entries", given.size()),
                     fmt::format("give one, or {}: one a boundary in model order", wanted));
  }

  TableReader& table_;
  PipelineScheduleSpec& spec_;
  PipelineRun run_;
};

}  // namespace

PipelineRun read_pipeline_run(TableReader& simulation, PipelineScheduleSpec& spec) {
  return RunReader(simulation, spec).read();
}

}  // namespace lockstep
