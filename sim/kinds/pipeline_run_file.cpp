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
  RunReader(TableReader& table, TableReader& scenario, PipelineScheduleSpec& spec)
      : table_(table), scenario_(scenario), spec_(spec), shape_known_(all_read(scenario)) {}

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

  // What could be read is in the echo. Lengths are not judged by a number that is wrong itself.
  static bool all_read(const TableReader& scenario) {
    return scenario.resolved().find("stages") != nullptr &&
           scenario.resolved().find("microbatches") != nullptr &&
           scenario.resolved().find("virtual_stages") != nullptr;
  }

  void read_virtual_stages() {
    constexpr std::int64_t most = 1'000'000;
    const auto given = table_.optional_count("virtual_stages", 1, most);
    if (table_.has("virtual_stages") && !given) shape_known_ = false;
    if (!given || !shape_known_) return;
    if (scenario_.has("virtual_stages") && *given != spec_.virtual_stages) {
      table_.problem(
          "virtual_stages",
          fmt::format("virtual_stages is {} here and {} above", *given, spec_.virtual_stages),
          "give one of them");
      shape_known_ = false;
      return;
    }
    spec_.virtual_stages = *given;
    scenario_.echo("virtual_stages", Value(*given));
  }

  void read_schedule() {
    const std::string otherwise = spec_.virtual_stages > 1 ? "interleaved-1f1b" : "gpipe";
    const std::string name = table_.choice("schedule", names_of(schedules()), otherwise);
    const Value* given = table_.raw("schedule");
    const std::string* asked = given == nullptr ? nullptr : given->text();
    schedule_known_ = given == nullptr || (asked != nullptr && *asked == name);
    run_.schedule = find_by_name(schedules(), name);
    if (run_.schedule == nullptr) run_.schedule = schedules().front();
    const auto group = table_.optional_count("group");
    run_.group = group.value_or(0);
    if (!schedule_known_) return;
    if (group && !run_.schedule->grouped) return no_effect("group");
    if (!shape_known_ || (table_.has("group") && !group)) return;
    const std::string refusal = run_.schedule->refusal(shape_of(spec_, run_));
    if (refusal.empty()) return;
    table_.problem(table_.has("group") ? "group" : "schedule",
                   fmt::format("{}: {}", name, refusal));
    shape_known_ = false;
  }

  void no_effect(std::string_view key) {
    table_.problem(key, fmt::format("{} has no effect with {}", key, run_.schedule->name));
  }

  // One value for all chunks, or a list of one a chunk.
  Times times(std::string_view key) {
    Times given = table_.quantities(key, Dimension::time, non_negative);
    if (!table_.is_list(key) || static_cast<double>(given.size()) == chunks()) return given;
    if (shape_known_ && !given.empty())
      table_.problem(key, entries_text(key, given.size()),
                     fmt::format("give one time, or a list of {:.0f}: one a {} in model order",
                                 chunks(), spec_.virtual_stages > 1 ? "chunk" : "stage"));
    given.assign(1, 1.0);
    return given;
  }

  static std::string entries_text(std::string_view key, std::size_t count) {
    return fmt::format("{} has {} {}", key, count, count == 1 ? "entry" : "entries");
  }

  void read_times() {
    Times forward = times("forward");
    Times whole = times("backward");
    const Times input = times("backward_input");
    const Times weight = times("backward_weight");
    const Times pair = times("forward_backward");
    if (!pair.empty() && schedule_known_ && !run_.schedule->overlaps_pairs)
      no_effect("forward_backward");
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
      else if (value->array() != nullptr && shape_known_)
        table_.problem(
            "stage_scale", entries_text("stage_scale", given.size()),
            fmt::format("give {}: one a stage, or a table index -> factor", scale.size()));
    }
    if (!shape_known_) return;
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
      // "01" would be a second way to say "1", and one of two would be lost.
      const bool index = status == std::errc{} && stop == end && entry.key == std::to_string(stage);
      if (index && stage < scale.size())
        scale[stage] = factor;
      else if (!index || shape_known_)
        reader.problem(entry.key,
                       fmt::format("stage_scale names no stage \"{}\"", entry.key.substr(0, 40)),
                       fmt::format("stages are 0 to {}", scale.size() - 1));
    }
    table_.echo("stage_scale", Value(reader.resolved()));
  }

  void read_transfers() {
    const Times given = table_.quantities("transfer", Dimension::time, non_negative);
    if (given.empty()) table_.echo("transfer_s", Value(0.0));
    if (given.empty() || !shape_known_) return;
    if (!table_.is_list("transfer")) {
      run_.transfer = PerChunk(given);
      return;
    }
    const auto wanted = chunks() > 1e7 ? 0 : boundaries_of(*run_.schedule, shape_of(spec_, run_));
    if (static_cast<std::int64_t>(given.size()) == wanted)
      run_.transfer = PerChunk(given);
    else
      table_.problem("transfer", entries_text("transfer", given.size()),
                     wanted == 0 ? "give one time"
                                 : fmt::format("give one time, or a list of {}: one a boundary in "
                                               "model order",
                                               wanted));
  }

  TableReader& table_;
  TableReader& scenario_;
  PipelineScheduleSpec& spec_;
  PipelineRun run_;
  bool shape_known_;  // stages, microbatches and virtual_stages could be read and fit the schedule
  bool schedule_known_ = true;
};

}  // namespace

PipelineRun read_pipeline_run(TableReader& simulation, TableReader& scenario,
                              PipelineScheduleSpec& spec) {
  return RunReader(simulation, scenario, spec).read();
}

}  // namespace lockstep
