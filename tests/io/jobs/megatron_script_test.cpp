#include "oracle/io/jobs/megatron_script.h"

#include <gtest/gtest.h>
#include <string>

#include "oracle/base/error.h"
#include "oracle/graph/graph.h"
#include "oracle/io/jobs/job.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace megatron_script_test {

std::string argument(const std::string& script, const char* name) {
  const megatron::Log log = megatron::parse_script(script, "mine.sh");
  const auto found = log.arguments.find(name);
  return found == log.arguments.end() ? "" : found->second;
}

TEST(MegatronScript, WorkedNumber) {
  EXPECT_EQ(argument("--hidden-size 4096 --swiglu", "ffn_hidden_size"), "10880");
  EXPECT_EQ(argument("--hidden-size 4096", "ffn_hidden_size"), "16384");
  EXPECT_EQ(argument("--hidden-size 4096 --ffn-hidden-size 9 --swiglu", "ffn_hidden_size"), "9");
}

TEST(MegatronScript, WordsAreAsAShellHasThem) {
  EXPECT_EQ(argument("--num-layers 24 # --num-layers 12", "num_layers"), "24");
  EXPECT_EQ(argument("--num-layers \\\n  24", "num_layers"), "24");
  EXPECT_EQ(argument("--num-layers='24'", "num_layers"), "24");
  EXPECT_EQ(argument("A=(--swiglu --num-layers 24)\nrun ${A[@]}", "num_layers"), "24");
  EXPECT_EQ(argument("ARGS=\"\n --num-layers 24 \n\"", "num_layers"), "24");
  EXPECT_EQ(argument("--num-layers 12 --num-layers 24", "num_layers"), "24") << "the last counts";
  EXPECT_EQ(argument("--swiglu --num-layers 24", "swiglu"), "True");
}

TEST(MegatronScript, VariablesOfTheScriptArePutIn) {
  EXPECT_EQ(argument("N=24\n--num-layers $N", "num_layers"), "24");
  EXPECT_EQ(argument("N=24; export M=${N}\n--num-layers \"${M}\"", "num_layers"), "24");
  EXPECT_EQ(argument("--num-layers ${N:-24}", "num_layers"), "24");
  EXPECT_EQ(argument("N=${1:-24}\n--num-layers $N", "num_layers"), "24");
  EXPECT_EQ(argument("--num-layers $N", "num_layers"), "$N") << "set outside";
}

TEST(MegatronScript, ArithmeticIsDone) {
  EXPECT_EQ(argument("N=2; M=$(( $N * 8 + 4 ))\n--num-layers $M", "num_layers"), "20");
  EXPECT_EQ(argument("--num-layers=$((7/2-1))", "num_layers"), "2");
  EXPECT_EQ(argument("A=2; B=6; --num-layers $((A*B))", "num_layers"), "12");
  EXPECT_EQ(argument("--num-layers $((N*2))", "num_layers"), "$((N*2))");
  EXPECT_EQ(argument("--num-layers $((1/0))", "num_layers"), "$((1/0))");
  EXPECT_EQ(argument("--num-layers $((9999999999*9999999999))", "num_layers").front(), '$');
}

TEST(MegatronScript, AFlagAndItsValueMayBeOneWord) {
  EXPECT_EQ(argument("A+=(\"--fp8-format hybrid\" \"--bf16\")", "fp8_format"), "hybrid");
}

TEST(MegatronScript, ModulesThatAreComputedAgainAreAList) {
  const char* script = "--recompute-modules core_attn layernorm --nproc-per-node 8 train.py --bf16";
  EXPECT_EQ(argument(script, "recompute_modules"), "core_attn layernorm");
  EXPECT_EQ(argument(script, "nproc_per_node"), "8");
  EXPECT_EQ(argument(script, "bf16"), "True");
}

TEST(MegatronScript, VariablesThatDoubleEndSomewhere) {
  std::string script = "A=aaaaaaaa\n";
  for (int i = 0; i < 64; ++i) script += "A=$A$A\n";
  EXPECT_LT(argument(script + "--num-layers $A", "num_layers").size(), std::size_t{1} << 18U);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a=";
  EXPECT_EQ(argument(deep + "--num-layers", "num_layers"), "");
}

TEST(MegatronScript, WhatIsLeftOutIsAsMegatronHasIt) {
  EXPECT_EQ(argument("--nproc_per_node=8 --nnodes 2", "world_size"), "16");
  EXPECT_EQ(argument("--disable-bias-linear", "add_bias_linear"), "False");
  EXPECT_EQ(argument("", "add_bias_linear"), "True");
  EXPECT_EQ(argument("--num-layers 32 --pipeline-model-parallel-size 4 "
                     "--num-layers-per-virtual-pipeline-stage 2",
                     "virtual_pipeline_model_parallel_size"),
            "4");
  const megatron::Log log = megatron::parse_script(
      "--tokenizer-type GPT2BPETokenizer --tensor-model-parallel-size 2", "mine.sh");
  EXPECT_EQ(log.padded_vocabulary, 50432);
}

/// GPT-3 of Megatron-LM's example, whose embedding is padded to 51,200 words.
TEST(MegatronScript, IsAJob) {
  const Job job = read_job(R"(
#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=16
MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --attention-backend auto # a comment
)
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NUM_NODES pretrain_gpt.py ${MODEL_ARGS[@]} \
    --micro-batch-size 1 --global-batch-size 1536 --fp16 \
    --tensor-model-parallel-size 8 --pipeline-model-parallel-size 16 \
    --tokenizer-type GPT2BPETokenizer)",
                           "gpt3.sh");
  EXPECT_EQ(job.strategy, "pipeline:16,tensor:8; micro_batches=1536");
  EXPECT_EQ(job.ranks, 128);
  EXPECT_EQ(job.precision, "fp16");
  EXPECT_EQ(job.gradients, "fp16");
  EXPECT_TRUE(job.steps.empty());
  const std::int64_t hidden = 12288, vocabulary = 51200;
  EXPECT_EQ(model_of(job.network).parameters(),
            96 * (12 * hidden * hidden + 13 * hidden) + (vocabulary + 2048) * hidden + 2 * hidden);
}

TEST(MegatronScript, WhatIsSetOutsideIsNamed) {
  try {
    read_job("--micro-batch-size $MBS --num-layers 2", "mine.sh");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("mine.sh: micro_batch_size: \"$MBS\""), std::string::npos) << text;
    EXPECT_NE(text.find("world_size: it is not there"), std::string::npos) << text;
  }
}

}  // namespace megatron_script_test
}  // namespace oracle
