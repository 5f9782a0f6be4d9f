#include "oracle/io/jobs/job.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "oracle/base/error.h"
#include "oracle/graph/graph.h"
#include "oracle/io/jobs/megatron_modules.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/plan/strategy/strategy.h"
#include "tests/io/jobs/refused.h"

namespace oracle {
namespace job_test {

using Arguments = std::map<std::string, std::string>;

/// A small Llama on 8 ranks, two of them tensor parallel, and what `other` changes.
std::string log_of(const Arguments& other = {}) {
  Arguments all = {{"world_size", "8"},
                   {"tensor_model_parallel_size", "2"},
                   {"sequence_parallel", "True"},
                   {"pipeline_model_parallel_size", "1"},
                   {"use_distributed_optimizer", "True"},
                   {"global_batch_size", "128"},
                   {"micro_batch_size", "1"},
                   {"bf16", "True"},
                   {"optimizer", "adam"},
                   {"num_layers", "4"},
                   {"hidden_size", "256"},
                   {"ffn_hidden_size", "512"},
                   {"num_attention_heads", "8"},
                   {"num_query_groups", "1"},
                   {"kv_channels", "32"},
                   {"seq_length", "128"},
                   {"max_position_embeddings", "256"},
                   {"swiglu", "True"},
                   {"normalization", "RMSNorm"},
                   {"position_embedding_type", "rope"},
                   {"untie_embeddings_and_output_weights", "True"}};
  for (const auto& [name, value] : other) all[name] = value;
  std::string text = "[default0]:--------- arguments ---------\n";
  for (const auto& [name, value] : all) text += "[default0]:  " + name + " ....... " + value + "\n";
  return text + " > padded vocab (size: 1000) with 24 dummy tokens (new size: 1024)\n";
}

Job job_of(const Arguments& other = {}) { return read_job(log_of(other), "runs/mine.log"); }

std::string strategy_of(const Arguments& other) { return job_of(other).strategy; }

TEST(Job, WorkedNumber) {
  const Job job = job_of();
  EXPECT_EQ(job.strategy, "data:4,tensor_sequence:2; micro_batches=32; zero=1; overlap=off");
  EXPECT_EQ(job.network.name, "mine");
  EXPECT_EQ(job.framework, "megatron");
  EXPECT_EQ(job.ranks, 8);
  EXPECT_EQ(job.batch, 128);
  EXPECT_EQ(job.network.sequence, 128);
  EXPECT_EQ(job.precision, "bf16");
  EXPECT_EQ(job.optimizer, "adam");
  EXPECT_TRUE(job.gradients.empty());
  EXPECT_TRUE(job.notes.empty());
}

TEST(Job, AsManyRanksAsAreAskedFor) {
  EXPECT_EQ(read_job(log_of(), "mine.log", 32).strategy,
            "data:16,tensor_sequence:2; micro_batches=8; zero=1; overlap=off");
}

TEST(Job, ItsNetworkNeedsNoRanks) {
  const std::string text = log_of({{"world_size", "7"}});
  EXPECT_THROW(read_job(text, "mine.log"), InputError);
  EXPECT_EQ(read_job_network(text, "mine.log").config, job_of().network.config);
}

TEST(Job, HasStepsAndMemory) {
  const Job job = read_job(
      log_of() +
          "[Rank 0] (after 1 iterations) memory (MB) | allocated: 1.0 | max allocated: 1024.0 | "
          "reserved: 9.0 | max reserved: 2048.0[Rank 1] (after 1 iterations) memory (MB) | "
          "allocated: 1.0 | max allocated: 512.5 | reserved: 9.0 | max reserved: 4096.0\n"
          " iteration 1/ 9 | elapsed time per iteration (ms): 9000.0 | global batch size: 128 |\n"
          " iteration 2/ 9 | elapsed time per iteration (ms): 250.5 | global batch size: 128 |\n"
          " iteration 3/ 9 | elapsed time per iteration (ms): 90.5 | global batch size: 64 |\n"
          " iteration 4/ 9 | elapsed time per iteration (ms): 251.5 | lm loss: 1 |\n",
      "mine.log");
  ASSERT_EQ(job.steps.size(), 2U) << "the first warms up, the third has another batch";
  EXPECT_DOUBLE_EQ(job.steps[0].value, 0.2505);
  EXPECT_DOUBLE_EQ(job.steps[1].value, 0.2515);
  EXPECT_DOUBLE_EQ(job.allocated.value, 0x1p30);
  EXPECT_DOUBLE_EQ(job.reserved.value, 0x1p32);
}

TEST(Job, MeshesAndTheirOptions) {
  EXPECT_EQ(strategy_of({{"sequence_parallel", "False"}, {"overlap_grad_reduce", "True"}}),
            "data:4,tensor:2; micro_batches=32; zero=1");
  EXPECT_EQ(strategy_of({{"pipeline_model_parallel_size", "2"},
                         {"virtual_pipeline_model_parallel_size", "2"},
                         {"use_distributed_optimizer", "False"},
                         {"tp_comm_overlap", "True"}}),
            "pipeline:2,data:2,tensor_sequence:2; micro_batches=64; chunks=2; overlap=off; "
            "tensor_overlap=on");
  EXPECT_EQ(strategy_of({{"pipeline_model_parallel_size", "2"}, {"use_tp_pp_dp_mapping", "True"}}),
            "data:2,pipeline:2,tensor_sequence:2; micro_batches=64; zero=1; overlap=off");
  EXPECT_EQ(strategy_of({{"context_parallel_size", "2"}, {"cp_comm_type", "['p2p']"}}),
            "data:2,ring:2,tensor_sequence:2; micro_batches=64; zero=1; overlap=off");
  EXPECT_EQ(strategy_of({{"context_parallel_size", "2"}, {"cp_comm_type", "a2a"}}),
            "data:2,ulysses:2,tensor_sequence:2; micro_batches=64; zero=1; overlap=off");
  EXPECT_EQ(strategy_of({{"use_megatron_fsdp", "True"},
                         {"data_parallel_sharding_strategy", "optim_grads_params"}}),
            "data:4,tensor_sequence:2; micro_batches=32; zero=3");
  EXPECT_EQ(
      strategy_of({{"num_distributed_optimizer_instances", "2"}, {"overlap_grad_reduce", "True"}}),
      "data:4,tensor_sequence:2; micro_batches=32; zero=1; shard=2");
  EXPECT_EQ(strategy_of({{"world_size", "2"}, {"global_batch_size", "1"}}), "tensor_sequence:2");
  EXPECT_EQ(strategy_of({{"world_size", "2"},
                         {"global_batch_size", "1"},
                         {"tensor_model_parallel_size", "1"},
                         {"pipeline_model_parallel_size", "2"}}),
            "pipeline:2; micro_batches=1");
  EXPECT_EQ(
      strategy_of(
          {{"world_size", "1"}, {"global_batch_size", "1"}, {"tensor_model_parallel_size", "1"}}),
      "data:1");
}

TEST(Job, MeshesOfExperts) {
  Arguments experts = {{"num_experts", "8"},
                       {"moe_router_topk", "2"},
                       {"moe_ffn_hidden_size", "64"},
                       {"expert_model_parallel_size", "4"},
                       {"overlap_grad_reduce", "True"}};
  EXPECT_EQ(strategy_of(experts), "expert:4,tensor_sequence:2; micro_batches=32; zero=1");
  experts["expert_tensor_parallel_size"] = "1";
  EXPECT_EQ(strategy_of(experts), "data:2,expert:2,tensor_expert:2; micro_batches=32; zero=1");
  experts["moe_token_dispatcher_type"] = "flex";
  experts["context_parallel_size"] = "2";
  EXPECT_EQ(strategy_of(experts),
            "data:2,ring:2,tensor_sequence:2; *experts*=data:2,expert:2,expert:2; "
            "micro_batches=64; zero=1; token_groups=all");
  experts["expert_model_parallel_size"] = "16";
  EXPECT_THROW(job_of(experts), InputError);
}

TEST(Job, WhatIsComputedAgain) {
  std::vector<std::string> unknown;
  const auto recomputed = [](Arguments other) {
    other["overlap_grad_reduce"] = "True";
    const std::string text = strategy_of(other);
    const std::size_t at = text.find("recompute=");
    return at == std::string::npos ? "" : text.substr(at);
  };
  EXPECT_EQ(recomputed({}), "");
  EXPECT_EQ(
      recomputed({{"recompute_granularity", "selective"}, {"recompute_modules", "['core_attn']"}}),
      "recompute=selective");
  EXPECT_EQ(recomputed({{"recompute_granularity", "selective"},
                        {"recompute_modules", "['layernorm', 'moe_act']"}}),
            "recompute=" + megatron::recomputation_of("layernorm moe_act", unknown));
  const Job partly = job_of(
      {{"recompute_granularity", "selective"}, {"recompute_modules", "['layernorm', 'other']"}});
  EXPECT_NE(partly.strategy.find("recompute=except:"), std::string::npos);
  EXPECT_EQ(partly.notes, std::vector<std::string>{"recompute_modules \"other\", left out"});
  EXPECT_EQ(recomputed({{"recompute_granularity", "full"}, {"recompute_method", "uniform"}}),
            "recompute=full");
  EXPECT_EQ(recomputed({{"recompute_granularity", "full"},
                        {"recompute_method", "block"},
                        {"recompute_num_layers", "1"},
                        {"pipeline_model_parallel_size", "2"}}),
            "recompute=layers.0.*|layers.2.*");
}

TEST(Job, OfMegatronDeepSpeed) {
  EXPECT_EQ(strategy_of({{"deepspeed", "True"},
                         {"zero_stage", "2.0"},
                         {"use_distributed_optimizer", "False"},
                         {"num_experts", "[1]"},
                         {"checkpoint_activations", "True"},
                         {"normalization", "rmsnorm"}}),
            "data:4,tensor_sequence:2; micro_batches=32; zero=2; recompute=full");
}

TEST(Job, FormatsAndWhatIsLeftOut) {
  EXPECT_EQ(job_of({{"fp8", "hybrid"}}).precision, "fp8");
  EXPECT_EQ(job_of({{"fp8", "e4m3"}, {"fp8_recipe", "mxfp8"}}).precision, "mxfp8");
  EXPECT_EQ(job_of({{"bf16", "False"}}).precision, "tf32");
  EXPECT_EQ(job_of({{"accumulate_allreduce_grads_in_fp32", "False"}}).gradients, "bf16");
  EXPECT_EQ(job_of({{"cuda_graph_impl", "local"}, {"mtp_num_layers", "None"}}).notes,
            std::vector<std::string>{"cuda_graph_impl \"local\", left out"});
}

TEST(Job, WhatDoesNotFitIsRefusedByItsName) {
  EXPECT_NE(refusal_of("Hello").find("holds no arguments of a job"), std::string::npos);
  EXPECT_NE(refusal_of(log_of({{"world_size", "7"}})).find("mine.log: world_size: 7 ranks"),
            std::string::npos);
  EXPECT_NE(refusal_of(log_of({{"global_batch_size", "6"}})).find("6 samples are not whole"),
            std::string::npos);
  const std::string many =
      refusal_of(log_of({{"optimizer", "lion"}, {"hidden_size", "0"}, {"seq_length", "None"}}));
  for (const char* part :
       {"\"lion\" is not known", "hidden_size: \"0\"", "seq_length: it is not"}) {
    EXPECT_NE(many.find(part), std::string::npos) << many;
  }
}

TEST(Job, OfAKeptLogIsAPipelineOfLlama) {
  const Job job = load_job(ORACLE_SOURCE_DIR "/tests/data/jobs/megatron.log");
  EXPECT_EQ(job.strategy, "pipeline:4,data:2; micro_batches=64; zero=1; overlap=off");
  EXPECT_EQ(job.steps.size(), 9U);
  // Its makers print 3.50 G parameters.
  EXPECT_NEAR(static_cast<double>(model_of(job.network).parameters()), 3.50e9, 0.005e9);
}

}  // namespace job_test
}  // namespace oracle
