#include "oracle/io/jobs/torchtitan_job.h"

#include <gtest/gtest.h>
#include <string>

#include "oracle/base/error.h"
#include "oracle/graph/graph.h"
#include "oracle/io/models/model_reader.h"
#include "tests/io/jobs/refused.h"

namespace oracle {
namespace torchtitan_job_test {

const std::string kNetwork =
    "Building llama3 8B with TransformerModelArgs(dim=4096, n_layers=32, n_heads=32, "
    "n_kv_heads=8, vocab_size=128256, multiple_of=1024, ffn_dim_multiplier=1.3)\n";
const std::string kTrainer =
    "Trainer is initialized with local batch size 2, global batch size 64, gradient accumulation "
    "steps 4, sequence length 8192, total steps 9 (warmup 2).\n";

std::string log_of(const std::string& mesh, const std::string& more = "",
                   const std::string& network = kNetwork, const std::string& trainer = kTrainer) {
  return "[titan] - INFO - Building " + mesh + "\n[titan] - INFO - " + network + more + trainer +
         "step:  1  loss: 9  memory: 9.00GiB(9%)  tps: 70\n"
         "step: 10  loss: 8  memory: 28.50GiB(29%)  tps: 7,000  mfu: 40%\n"
         "validate step: 10  loss: 8  memory: 29.00GiB(29%)  tps: 9,000\n";
}

Job job_of(const std::string& text, std::optional<std::int64_t> ranks = {}) {
  EXPECT_TRUE(titan::is_log(text));
  return read_job(text, "runs/mine.log", ranks);
}

constexpr const char* kTwoByTwo = "3-D device mesh with ['dp_shard', 'cp', 'tp'], [2, 2, 2]";

TEST(TorchtitanJob, WorkedNumber) {
  const std::string trainer =
      "Trainer is initialized with local batch size 2, global batch size 16, gradient accumulation "
      "steps 1, sequence length 8192, total steps 9\n";
  const Job job = job_of(log_of("1-D device mesh with ['dp_shard'], [8]", "", kNetwork, trainer));
  ASSERT_EQ(job.steps.size(), 1U) << "neither the first nor one of a validation";
  EXPECT_NEAR(job.steps[0].value, 2.34, 0.005);
  EXPECT_EQ(job.reserved.value, 28.5 * 0x1p30);
  EXPECT_EQ(job.batch, 16);
  EXPECT_EQ(job.network.sequence, 8192);
}

TEST(TorchtitanJob, AxesAndOptionsAreAStrategy) {
  EXPECT_EQ(job_of(log_of(kTwoByTwo)).strategy,
            "data:2,context:2,tensor_sequence:2; micro_batches=4; zero=3");
  EXPECT_EQ(job_of(log_of("device mesh with parallelism: pp=1, dp_replicate=2, dp_shard=4, cp=1, "
                          "tp=1, ep=1",
                          "Applied HSDP to the model\n"))
                .strategy,
            "data:8; micro_batches=4; zero=3; shard=4");
  EXPECT_EQ(job_of(log_of("2-D device mesh with ['pp', 'dp_shard'], [2, 4]",
                          "Using pipeline schedule Interleaved1F1B with 2 microbatches and 4 "
                          "stages.\nApplied full activation checkpointing to the model\n"))
                .strategy,
            "pipeline:2,data:4; micro_batches=8; chunks=2; zero=3; reshard=off; recompute=full");
  EXPECT_EQ(job_of(log_of("device mesh with parallelism: dp_replicate=4, dp_shard=1",
                          "Applied HSDP to the model\n"))
                .strategy,
            "data:4; micro_batches=4")
      << "copies of all";
  // One device has no mesh.
  EXPECT_EQ(job_of(log_of("0-D device mesh with [], []")).strategy, "data:1; micro_batches=4");
}

TEST(TorchtitanJob, ASchedulesNameIsOneWord) {
  const auto strategy_of = [](const std::string& name) {
    const std::string line =
        "Using pipeline schedule " + name + " with 2 microbatches and 2 stages.\n";
    return job_of(log_of("2-D device mesh with ['pp', 'dp_shard'], [2, 4]", line)).strategy;
  };
  const std::string same = "pipeline:2,data:4; micro_batches=8";
  EXPECT_EQ(strategy_of("1F1B"), same + "; zero=3; reshard=off");
  EXPECT_EQ(strategy_of("GPipe"), same + "; schedule=gpipe; zero=3; reshard=off");
  EXPECT_EQ(strategy_of("InterleavedZeroBubble"), same + "; schedule=zb_h1; zero=3; reshard=off");
  EXPECT_EQ(strategy_of("GPipeZeroBubble"), strategy_of("InterleavedZeroBubble"));
}

TEST(TorchtitanJob, CompiledBlocksAreAFrameworkOfTheirOwn) {
  EXPECT_EQ(job_of(log_of(kTwoByTwo)).framework, "pytorch");
  const Job job = job_of(log_of(kTwoByTwo,
                                "Compiling each TransformerBlock with torch.compile\n"
                                "Float8 tensorwise scaled training active\n"
                                "Applied selective activation checkpointing to the model\n"));
  EXPECT_EQ(job.framework, "torchtitan");
  EXPECT_EQ(job.precision, "fp8");
  ASSERT_EQ(job.notes.size(), 1U);
  EXPECT_EQ(job.notes[0], "selective recomputation, taken by operator");
}

TEST(TorchtitanJob, MoreRanksAreMoreGroupsOfData) {
  EXPECT_EQ(job_of(log_of(kTwoByTwo), 32).strategy,
            "data:8,context:2,tensor_sequence:2; micro_batches=4; zero=3");
  EXPECT_THROW(job_of(log_of(kTwoByTwo), 6), InputError);
}

TEST(TorchtitanJob, TheNetworkIsAsLargeAsItsMakersSay) {
  EXPECT_EQ(model_of(job_of(log_of(kTwoByTwo)).network).parameters(), 8'030'261'248);
  const std::string named = "Model llama3 70B size: 70,553,706,496 total parameters\n";
  EXPECT_EQ(model_of(job_of(log_of(kTwoByTwo, "", named)).network).parameters(), 70'553'706'496);
  const std::string other = "Building deepseek_v3 16B with DeepSeekV3ModelArgs(dim=2048)\n";
  EXPECT_NE(job_of(log_of(kTwoByTwo, "", other)).network.reason.find("deepseek_v3"),
            std::string::npos);
}

TEST(TorchtitanJob, OldReleasesSayWordsPerSecond) {
  const std::string text =
      "Building 1-D device mesh with ('dp',), [4]\n" + kNetwork +
      "Training starts at step 1, with local batch size 5, global batch size 20, sequence length "
      "8192, total steps 100\n\x1b[31mstep: 1 \x1b[39mwps: 5,380\nstep: 10  wps: 10,000\n";
  const Job job = job_of(text);
  EXPECT_EQ(job.strategy, "data:4");
  ASSERT_EQ(job.steps.size(), 1U);
  EXPECT_NEAR(job.steps[0].value, 20 * 8192 / 40'000.0, 1e-9);
}

TEST(TorchtitanJob, RefusesWhatItLacks) {
  EXPECT_NE(refusal_of(log_of(kTwoByTwo, "", kNetwork, "")).find("global batch size: it is not"),
            std::string::npos);
  EXPECT_NE(
      refusal_of(log_of("device mesh with parallelism: pp=1, dp_shard=8, ep=4")).find("expert"),
      std::string::npos);
  EXPECT_NE(refusal_of(log_of("2-D device mesh with ['dp_shard', 'tp'], [1000000000, 8]"))
                .find("more than"),
            std::string::npos);
}

TEST(TorchtitanJob, OfAKeptLog) {
  const Job job = load_job(ORACLE_SOURCE_DIR "/tests/data/jobs/torchtitan.log");
  EXPECT_EQ(job.strategy, "data:8; zero=3; recompute=except:*.q|*.v|*.attention|*.gate|*.down");
  EXPECT_EQ(job.steps.size(), 4U);
  EXPECT_EQ(job.framework, "torchtitan");
}

}  // namespace torchtitan_job_test
}  // namespace oracle
