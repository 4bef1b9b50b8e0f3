// SPDX-License-Identifier: Apache-2.0
#include "lockstep/sim/matrix.hpp"

#include <fmt/format.h>

#include "lockstep/sim/scenario_file.hpp"
#include "lockstep/sim/schedules/schedule.hpp"

namespace lockstep {
namespace {

class Matrix {
 public:
  std::vector<MatrixEntry> build() {
    add_pipelines();
    add_scale_out();
    add_collectives();
    add_layouts();
    add_distributed();
    add_broken_assumptions();
    return std::move(entries_);
  }

 private:
  void add(const std::string& name, const std::string& json, EngineOptions engine = {}) {
    entries_.push_back({scenario_from_json(json, name), engine});
  }

  void add_pipelines() {
    for (const ScheduleInfo* schedule : schedules())
      for (const int stages : {1, 2, 4, 8, 16, 64})
        for (const int microbatches : {1, 2, 3, 32, 256})
          add(fmt::format("{} p{} m{}", schedule->name, stages, microbatches),
              fmt::format(
                  R"({{"kind":"pipeline-schedule","stages":{},"microbatches":{},)"
                  R"("simulation":{{"schedule":"{}","forward_s":0.001,"backward_s":0.002}}}})",
                  stages, microbatches, schedule->name));
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

  void add_collectives() {
    add_rings();
    for (const int ranks : {2, 5, 8, 16})
      for (const char* fidelity : {"flows", "steps"}) {
        for (const char* function : {"tree_allreduce", "all_to_all"})
          add(fmt::format("{} of {}, {}", function, ranks, fidelity),
              fmt::format(R"({{"kind":"collective","function":"{}","n":{},"message_bytes":3e9,)"
                          R"("bandwidth_bytes_per_s":5e10,"latency_s":5e-6,)"
                          R"("simulation":{{"fidelity":"{}"}}}})",
                          function, ranks, fidelity));
        add(fmt::format("hierarchical_allreduce of {}x8, {}", ranks, fidelity),
            fmt::format(R"({{"kind":"collective","function":"hierarchical_allreduce",)"
                        R"("n_nodes":{},"gpus_per_node":8,"message_bytes":3e9,)"
                        R"("intra_bw_bytes_per_s":4.5e11,"inter_bw_bytes_per_s":5e10,)"
                        R"("simulation":{{"fidelity":"{}"}}}})",
                        ranks, fidelity));
      }
  }

  void add_layout(const char* name, int tp, int pp, int dp, int microbatches) {
    add(name, fmt::format(R"({{"kind":"parallel-layout","workload":"Language.GPT3","tp_size":{},)"
                          R"("pp_size":{},"dp_size":{},"microbatches":{},"batch_tokens":2e6,)"
                          R"("flops_per_param_token":6,"accelerator":"Cloud.H100",)"
                          R"("local_efficiency":0.5,"link_bandwidth_bytes_per_s":5e10,)"
                          R"("overlap_fraction":0.75,"window_resolution_s":0.1,)"
                          R"("device_memory_bytes":8e10}})",
                          tp, pp, dp, microbatches));
  }

  void add_layouts() {
    add_layout("Gpt3DataParallel1K", 1, 1, 1024, 1);
    add_layout("Gpt3TensorDataParallel1K", 8, 1, 128, 1);
    add_layout("Gpt3ThreeDParallel1K", 8, 4, 32, 32);
    add_layout("Gpt3ThreeDParallel16K", 8, 16, 128, 32);
    add("Gpt3On1024H100",
        R"({"kind":"reference-training-step","fleet":"Training_1K","batch_tokens":3.2e6,)"
        R"("batch_divisor":16,"sequences_per_microbatch":1,"precision":"fp16",)"
        R"("local_efficiency":0.5,"overlap_comm":true,"replica":{"workload":"Language.GPT3",)"
        R"("fleet":"Training_1K","bytes_per_param":16}})");
  }

  void add_step(const std::string& name, const char* model, const char* fleet,
                const std::string& keys) {
    const std::string_view cut = "24 nodes of ";  // of a fleet of 32
    const std::string_view wanted = fleet;
    const std::string fleet_json =
        wanted.starts_with(cut)
            ? fmt::format(R"({{"ref":"{}","nodes":24}})", wanted.substr(cut.size()))
            : fmt::format(R"("{}")", wanted);
    add(name, fmt::format(R"({{"kind":"distributed-step","workload":"{}","fleet":{},)"
                          R"("batch_size":512,{}}})",
                          model, fleet_json, keys));
  }

  void add_distributed() {
    for (const int tp : {1, 8})
      for (const int pp : {1, 4})
        for (const int v : {1, 2})
          for (const bool overlap : {false, true})
            add_step(fmt::format("GPT-3 tp{} pp{} v{}{}", tp, pp, v, overlap ? " overlap" : ""),
                     "Language.GPT3", "Research_256",
                     fmt::format(R"("tp_size":{},"pp_size":{},"v_stages":{},"microbatch_count":16,)"
                                 R"("overlap_comm":{})",
                                 tp, pp, v, overlap));
    for (const int ep : {1, 2, 8, 16})
      add_step(fmt::format("Mixtral ep{}", ep), "Language.Mixtral_8x7B", "Research_256",
               fmt::format(R"("ep_size":{},"moe_routing_imbalance_factor":1.5)", ep));
    for (const auto& [word, extra] :
         {std::pair{"accumulation 4", R"("gradient_accumulation_steps":4)"},
          {"congestion 1.5", R"("congestion_factor":1.5)"},
          {"straggler 1.2", R"("straggler_factor":1.2)"},
          {"ZeRO 3", R"("zero_stage":3)"},
          {"LoRA", R"("is_lora":true)"}})
      add_step(fmt::format("Llama-3 70B tp4 pp2, {}", word), "Language.Llama3_70B",
               "Kempner_H100_384",
               fmt::format(R"("tp_size":4,"pp_size":2,"microbatch_count":8,{})", extra));
    add_step("Llama-3 70B, tp16 over two nodes", "Language.Llama3_70B", "Research_256",
             R"("tp_size":16,"pp_size":2,"microbatch_count":8)");
    add_step("GPT-3 steps", "Language.GPT3", "Lab_64_H100",
             R"("tp_size":8,"pp_size":2,"microbatch_count":4,"simulation":{"fidelity":"steps"})");
    // Outside the formula's reach: explained, each by its assumption.
    add_step("Llama-3 70B, tp3 on nodes of 8", "Language.Llama3_70B", "24 nodes of Research_256",
             R"("tp_size":3,"pp_size":2,"microbatch_count":8)");
    add_step("GPT-3 pp8 v2, 12 microbatches", "Language.GPT3", "Research_256",
             R"("tp_size":8,"pp_size":8,"v_stages":2,"microbatch_count":12)");
    add_step("Llama 7B, overlap longer than its cover", "Language.Llama2_7B", "Research_256",
             R"("overlap_comm":true,"seq_len":128)");
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
