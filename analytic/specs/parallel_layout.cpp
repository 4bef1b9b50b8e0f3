// SPDX-License-Identifier: Apache-2.0
#include "lockstep/analytic/specs/parallel_layout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "lockstep/analytic/precision.hpp"
#include "lockstep/platforms/error.hpp"
#include "lockstep/platforms/registry.hpp"

namespace lockstep {
namespace {

// Rounding to a multiple of 10^-decimals of the exact value of the double; ties to even.
double round_decimals(double value, int decimals) {
  if (decimals >= 0)  // printing rounds the exact binary value correctly
    return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr);
  const double unit = std::pow(10.0, -decimals);
  const double over = std::fmod(value, unit);  // exact
  const double below = value - over;
  if (2.0 * over < unit) return below;
  if (2.0 * over > unit) return below + unit;
  return std::fmod(below / unit, 2.0) == 0.0 ? below : below + unit;
}

}  // namespace

double round_to_resolution(double value, double resolution) {
  constexpr double power_of_ten_tolerance = 1e-12;  // absolute, as the reference's (its trap T6)
  if (!(resolution > 0.0))
    throw Error(ErrorKind::input, "window_resolution must be above 0", "window_resolution");
  const double decimals = std::nearbyint(-std::log10(resolution));
  if (std::abs(std::pow(10.0, -decimals) - resolution) < power_of_ten_tolerance)
    return round_decimals(value, static_cast<int>(decimals));
  return std::nearbyint(value / resolution) * resolution;
}

double ParallelLayoutSpec::step_flops() const {
  return flops_per_param_token * workload.parameters.value_or(0.0) * batch_tokens;
}

Seconds ParallelLayoutSpec::raw_window() const {
  const auto peak = accelerator.rate_at(precision);
  if (!peak)
    throw Error(ErrorKind::input,
                fmt::format("accelerator {} has no precision {}", accelerator.name, precision));
  return Flops(step_flops()) / (static_cast<double>(devices()) * *peak * local_efficiency);
}

Seconds ParallelLayoutSpec::window() const {
  const Seconds raw = raw_window();
  if (!window_resolution) return raw;
  return Seconds(round_to_resolution(raw.si(), window_resolution->si()));
}

std::vector<std::string> ParallelLayoutSpec::warnings() const {
  constexpr double noticeable = 0.01;
  std::vector<std::string> list;
  const double raw = raw_window().si();
  if (raw > 0.0 && std::abs(window().si() / raw - 1.0) > noticeable)
    list.push_back(
        fmt::format("rounded_window: the compute window is {:.4g} s and priced as {:.4g} s", raw,
                    window().si()));
  if (dp_size <= 2)
    list.push_back(
        fmt::format("large_ring_factor: the all-reduce is priced at 2 shards; a ring of {} "
                    "ranks moves {} of them",
                    dp_size, dp_size - 1));
  return list;
}

Bytes ParallelLayoutSpec::gradient_bytes() const {
  return size_at(workload, gradient_precision);
}

Bytes ParallelLayoutSpec::shard_bytes() const {
  return gradient_bytes() / static_cast<double>(tp_size * pp_size);
}

namespace {

void check_precision(TableReader& reader, const ParallelLayoutSpec& spec) {
  if (spec.accelerator.name.empty() || spec.accelerator.rate_at(spec.precision)) return;
  std::vector<std::string> known;
  for (const auto& [name, rate] : spec.accelerator.precision_flops) known.push_back(name);
  reader.problem("precision",
                 fmt::format("accelerator {} has no precision \"{}\"", spec.accelerator.name,
                             spec.precision.substr(0, 60)),
                 known_names_hint(spec.precision, known));
}

}  // namespace

ParallelLayoutSpec read_parallel_layout(TableReader& reader) {
  constexpr std::int64_t most = 1'000'000;  // keeps t p d exact
  ParallelLayoutSpec spec;
  spec.workload = read_workload(reader);
  spec.tp_size = reader.count("tp_size", 1, 1, most);
  spec.pp_size = reader.count("pp_size", 1, 1, most);
  spec.dp_size = reader.count("dp_size", {}, 1, most);
  spec.microbatches = reader.count("microbatches", 1);
  spec.batch_tokens = reader.number("batch_tokens", non_negative);
  spec.flops_per_param_token = reader.number("flops_per_param_token", non_negative);
  spec.accelerator = read_accelerator(reader, "accelerator");
  spec.precision = reader.text("precision", "fp8");
  check_precision(reader, spec);
  spec.local_efficiency = reader.number("local_efficiency", positive_fraction);
  spec.link_bandwidth = reader.quantity<BytesPerSecond>("link_bandwidth", positive);
  spec.overlap_fraction = reader.number("overlap_fraction", fraction);
  spec.gradient_precision = read_precision(reader, "gradient_precision", "fp16");
  spec.window_resolution = reader.optional_quantity<Seconds>("window_resolution", positive);
  spec.device_memory = reader.optional_quantity<Bytes>("device_memory", positive);
  if (!spec.workload.parameters && !spec.workload.name.empty())
    reader.problem("workload", "a layout needs the workload's parameters");
  return spec;
}

}  // namespace lockstep
