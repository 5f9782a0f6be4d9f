#include "oracle/cli/launch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "oracle/io/jobs/job.h"
#include "oracle/plan/strategy/strategy.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace launch_test {

Outcome launched(const char* framework, const char* strategy, const char* cluster = "dgx-a100") {
  return console({"estimate", "resnet50", "--cluster", cluster, "--strategy", strategy, "--batch",
                  "512", "--framework", framework, "--launch", "--format", "json"});
}

Outcome of_text(const char* framework, const char* strategy, const char* model = "llama2_7b",
                const char* precision = "bf16") {
  return console({"estimate", model, "--cluster", "dgx-h100", "--strategy", strategy, "--batch",
                  "64", "--sequence", "2048", "--precision", precision, "--optimizer", "adam",
                  "--framework", framework, "--launch", "--format", "json"});
}

/// All lines as one, without what goes on in the next.
std::string line_of(const Outcome& outcome) {
  std::string text;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const std::string line : json.at("launch")) {
    text += line.substr(0, line.find_last_not_of("\\ ") + 1) + "\n";
  }
  return text;
}

TEST(Launch, WorkedNumber) {
  const std::string out = launched("pytorch", "data:16; bucket=50 MiB").out;
  EXPECT_NE(out.find("torchrun --nnodes=2 --nproc-per-node=8 "), std::string::npos) << out;
  EXPECT_NE(out.find("--batch-size 32"), std::string::npos) << out;
  EXPECT_NE(out.find("bucket_cap_mb=50"), std::string::npos) << out;
}

/// Horovod's buckets are larger than the usual ones: data/frameworks/tensorflow.json.
TEST(Launch, TheFrameworksOwnOptionsAreSaid) {
  const std::string out = launched("tensorflow", "data:4").out;
  EXPECT_NE(out.find("horovodrun -np 4 "), std::string::npos) << out;
  EXPECT_NE(out.find("--fusion-threshold-mb 64"), std::string::npos) << out;
}

TEST(Launch, MegatronsArgumentsSayEveryAxisAndOption) {
  EXPECT_EQ(line_of(of_text("megatron",
                            "pipeline:4,data:2,tensor_sequence:2; micro_batches=16; chunks=2; "
                            "zero=1; recompute=selective; tensor_overlap=on")),
            "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d "
            "--rdzv-endpoint=HOST:29500 pretrain_gpt.py\n"
            "  --micro-batch-size 2 --global-batch-size 64\n"
            "  --tensor-model-parallel-size 2 --sequence-parallel\n"
            "  --pipeline-model-parallel-size 4\n"
            "  --num-virtual-stages-per-pipeline-rank 2\n"
            "  --use-distributed-optimizer\n"
            "  --overlap-param-gather\n"
            "  --overlap-grad-reduce\n"
            "  --recompute-granularity selective\n"
            "  --tp-comm-overlap\n"
            "  --bf16\n"
            "  and the network's own arguments\n");
}

/// Whole experts on each rank of tensor parallelism: 4 times 2 parts of them.
TEST(Launch, ExpertsAreInThePartsOfBothAxes) {
  const std::string text =
      line_of(of_text("megatron",
                      "data:2,expert:4,tensor_expert:2; micro_batches=8; zero=3; "
                      "recompute=full; overlap=off",
                      "mixtral_8x7b"));
  EXPECT_NE(text.find("--expert-model-parallel-size 8 --expert-tensor-parallel-size 1"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("--data-parallel-sharding-strategy optim_grads_params"), std::string::npos);
  EXPECT_EQ(text.find("--overlap"), std::string::npos) << "overlap=off is a line less";
}

/// Pipelines inside replicas are Megatron's other order of ranks.
TEST(Launch, OrdersOfRanksAreSaidOrRefused) {
  const std::string inside =
      line_of(of_text("megatron", "data:2,pipeline:4,tensor:2; micro_batches=16; zero=1"));
  EXPECT_NE(inside.find("--use-tp-pp-dp-mapping"), std::string::npos) << inside;
  const Outcome other = of_text("megatron", "tensor:2,data:8; micro_batches=4; zero=1");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("numbers its ranks by pipeline, data, expert, context, tensor"),
            std::string::npos)
      << other.err;
}

/// The lines are a script, and what `oracle job` reads from it is what was priced.
TEST(Launch, IsReadBackAsTheSameJob) {
  for (const char* strategy :
       {"data:4,tensor:4; micro_batches=16; overlap=off",
        "pipeline:4,data:2,tensor_sequence:2; micro_batches=16; chunks=2; zero=1",
        "data:2,pipeline:4,tensor:2; micro_batches=16; zero=1",
        "data:4,context:2,tensor_sequence:2; micro_batches=4; zero=1; recompute=full",
        "data:4,ring:2,tensor:2; micro_batches=4; zero=1; recompute=selective",
        "data:8,ulysses:2; micro_batches=4; zero=3",
        "data:8,tensor_sequence:2; micro_batches=8; zero=2; tensor_overlap=on",
        "data:16; micro_batches=4; zero=1; shard=8"}) {
    const Outcome outcome = of_text("megatron", strategy);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::string script;
    const auto json = nlohmann::json::parse(outcome.out);
    for (const std::string line : json.at("launch")) {
      script += line + "\n";
    }
    script.resize(script.rfind("and the network's own"));
    script +=
        "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
        "--max-position-embeddings 2048 --swiglu --normalization RMSNorm "
        "--position-embedding-type rope --vocab-size 32000";
    const Job job = read_job(script, "launched.sh");
    EXPECT_EQ(to_text(parse_strategy(job.strategy)), to_text(parse_strategy(strategy))) << script;
    EXPECT_EQ(job.ranks, 16);
    EXPECT_EQ(job.batch, 64);
    EXPECT_EQ(job.precision, "bf16");
  }
}

TEST(Launch, ShardsOfPyTorch) {
  const std::string text = line_of(of_text("pytorch", "data:16; micro_batches=4; zero=3"));
  EXPECT_NE(text.find("--batch-size 4"), std::string::npos) << text;
  EXPECT_NE(text.find("fully_shard(block)"), std::string::npos) << text;
  EXPECT_NE(text.find("4 micro-batches of 1 a step"), std::string::npos) << text;
  EXPECT_EQ(text.find("DistributedDataParallel"), std::string::npos) << text;
}

TEST(Launch, TorchtitansArgumentsSayEveryAxisAndOption) {
  EXPECT_EQ(line_of(of_text("torchtitan",
                            "data:4,context:2,tensor_sequence:2; micro_batches=4; recompute=full")),
            "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d "
            "--rdzv-endpoint=HOST:29500 -m torchtitan.train --job.config_file=CONFIG.toml\n"
            "  --training.local_batch_size=4 --training.global_batch_size=64\n"
            "  --parallelism.data_parallel_shard_degree=4\n"
            "  --parallelism.context_parallel_degree=2\n"
            "  --parallelism.tensor_parallel_degree=2\n"
            "  --training.mixed_precision_param=bfloat16\n"
            "  --activation_checkpoint.mode=full\n"
            "  --training.compile\n");
  const std::string staged =
      line_of(of_text("torchtitan", "pipeline:4,data:4; micro_batches=8; chunks=2; reshard=off"));
  for (const char* part :
       {"--training.local_batch_size=16 --parallelism.pipeline_parallel_microbatch_size=2",
        "pipeline_parallel_degree=4", "fsdp_reshard_after_forward=never", "Interleaved1F1B",
        "--activation_checkpoint.mode=none"}) {
    EXPECT_NE(staged.find(part), std::string::npos) << part << " in " << staged;
  }
}

/// What is turned off or on against a framework's own option is said.
TEST(Launch, AnOptionTakenBackIsSaid) {
  EXPECT_NE(line_of(of_text("deepspeed", "data:16; micro_batches=4; zero=2; overlap=on"))
                .find("\"overlap_comm\": true"),
            std::string::npos);
  const Outcome whole = of_text("torchtitan", "data:2,tensor_sequence:8; micro_batches=8; zero=0");
  EXPECT_EQ(whole.code, 2);
  EXPECT_NE(whole.err.find("has no line for zero=0"), std::string::npos) << whole.err;
}

TEST(Launch, WhatNoLineSaysIsRefused) {
  struct Case {
    Outcome outcome;
    const char* message;
  };
  const std::vector<Case> cases = {
      {launched("pytorch", "filter:4"), "\"pytorch\" has no line for filter:4"},
      {launched("pytorch", "conv*=data:4; fc*=filter:4"), "has no line that cuts some layers"},
      {launched("chainer", "data:4"), "does not say how"},
      {of_text("megatron",
               "data:8,tensor:2; micro_batches=4; zero=1; "
               "recompute=except:layers.*.attention"),
       "has no line for recompute=except:layers.*.attention"},
      {of_text("megatron", "data:8,tensor:2; micro_batches=4; zero=1", "llama2_7b", "tf32"),
       "has no line for precision=tf32"}};
  for (const Case& one : cases) {
    EXPECT_EQ(one.outcome.code, 2) << one.message;
    EXPECT_NE(one.outcome.err.find(one.message), std::string::npos) << one.outcome.err;
  }
}

/// A search starts what it found best; what the framework cannot start is an answer all the same.
TEST(Launch, OfTheBestOfASearch) {
  const Outcome best = console({"plan", "alexnet", "--cluster", "dgx-1-v100", "--gpus", "8",
                                "--batch", "256", "--framework", "pytorch", "--launch"});
  EXPECT_EQ(best.code, 0) << best.err;
  EXPECT_NE(best.out.find("--nproc-per-node=8"), std::string::npos) << best.out;
  const Outcome other = console({"plan", "alexnet", "--cluster", "dgx-1-v100", "--gpus", "4",
                                 "--axes", "filter", "--framework", "pytorch", "--launch"});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.out.find("has no line for filter:4"), std::string::npos) << other.out;
  // PyTorch runs pipelines, too, but no line starts one.
  EXPECT_NE(best.out.find("mesh axes tried: data, which PyTorch, eager has lines for"),
            std::string::npos)
      << best.out;
  EXPECT_EQ(console({"plan", "alexnet", "--cluster", "dgx-1-v100", "--gpus", "4", "--framework",
                     "chainer", "--launch"})
                .code,
            2);
}

}  // namespace launch_test
}  // namespace oracle::cli
