// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/matrix.hpp"

#include <fmt/format.h>

#include "lockstep/sim/scenario_file.hpp"

namespace lockstep {
namespace {

class Matrix {
 public:
  std::vector<MatrixEntry> build() {
    add_pipelines();
    add_scale_out();
    add_rings();
    add_broken_assumptions();
    return std::move(entries_);
  }

 private:
  void add(std::string name, const std::string& json, EngineOptions engine = {}) {
    entries_.push_back({scenario_from_json(json, std::move(name)), engine});
  }

  void add_pipelines() {
    for (const char* schedule : {"gpipe", "1f1b"})
      for (const int stages : {1, 2, 4, 8, 16, 64})
        for (const int microbatches : {1, 2, 3, 32, 256})
          add(fmt::format("{} p{} m{}", schedule, stages, microbatches),
              fmt::format(
                  R"({{"kind":"pipeline-schedule","stages":{},"microbatches":{},)"
                  R"("simulation":{{"schedule":"{}","forward_s":0.001,"backward_s":0.002}}}})",
                  stages, microbatches, schedule));
  }

  static std::string scale_out(int nodes, int devices, int accumulation, double inter,
                               double intra = 450e9) {
    return fmt::format(
        R"({{"kind":"data-parallel-scale-out","workload":"Language.GPT2","step_time_s":1.8,)"
        R"("training_time_s":90000,"per_device_batch":16,"devices_per_node":{},"nodes":{},)"
        R"("intra_bandwidth_bytes_per_s":{},"inter_bandwidth_bytes_per_s":{},)"
        R"("accumulation_steps":{},"node_hour_rate_usd_per_hour":32}})",
        devices, nodes, intra, inter, accumulation);
  }

  void add_scale_out() {
    add("Gpt2DataParallelOneNode", scale_out(1, 8, 1, 50e9));
    add("Gpt2DataParallelFourNodes10GbE", scale_out(4, 8, 1, 1.25e9));
    add("Gpt2GradientAccumulationOneNode", scale_out(1, 8, 4, 50e9));
    for (const int nodes : {1, 2, 3, 4, 16})
      for (const int devices : {1, 2, 8})
        for (const int accumulation : {1, 4, 64})
          add(fmt::format("scale-out {}x{} accumulate {}", nodes, devices, accumulation),
              scale_out(nodes, devices, accumulation, 50e9));
  }

  static std::string ring(int ranks, const char* fidelity, int concurrent = 1) {
    return fmt::format(
        R"({{"kind":"collective","function":"ring_allreduce","n":{},"message_bytes":3e9,)"
        R"("bandwidth_bytes_per_s":5e10,"latency_s":5e-6,)"
        R"("simulation":{{"fidelity":"{}","concurrent":{}}}}})",
        ranks, fidelity, concurrent);
  }

  void add_rings() {
    constexpr int most_real_ranks = 64;
    for (const int ranks : {2, 3, 8, 64, 128})
      for (const char* fidelity : {"formula", "flows", "steps"}) {
        add(fmt::format("ring of {}, {}", ranks, fidelity), ring(ranks, fidelity));
        EngineOptions real;
        real.exclusive_as_flows = true;
        if (ranks <= most_real_ranks && std::string_view(fidelity) != "formula")
          add(fmt::format("ring of {}, {}, real links", ranks, fidelity), ring(ranks, fidelity),
              real);
      }
  }

  void add_unequal(const char* name, const char* schedule, const char* keys) {
    add(name, fmt::format(R"({{"kind":"pipeline-schedule","stages":4,"microbatches":8,)"
                          R"("simulation":{{"schedule":"{}","forward_s":1,"backward_s":2,{}}}}})",
                          schedule, keys));
  }

  void add_broken_assumptions() {
    add_unequal("1f1b, slow first stage", "1f1b", R"("stage_scale":{"0":1.5})");
    add_unequal("1f1b, slow last stage", "1f1b", R"("stage_scale":{"3":1.5})");
    add_unequal("gpipe, uneven stages", "gpipe", R"("stage_scale":[0.875,1,1.125,1])");
    add_unequal("1f1b, eager transfers", "1f1b", R"("transfer_s":0.5)");
    add_unequal("1f1b, rendezvous transfers", "1f1b", R"("transfer_s":0.5,"p2p":"rendezvous")");
    add_unequal("1f1b, slow stage and transfers", "1f1b",
                R"("stage_scale":{"1":1.5},"transfer_s":0.25)");
    add("two rings of 8 on one set of links, flows", ring(8, "flows", 2));
    add("two rings of 8 on one set of links, steps", ring(8, "steps", 2));
    add("scale-out, faster between nodes", scale_out(4, 8, 1, 50e9, 25e9));
  }

  std::vector<MatrixEntry> entries_;
};

}  // namespace

std::vector<MatrixEntry> built_in_matrix() {
  return Matrix().build();
}

}  // namespace lockstep
