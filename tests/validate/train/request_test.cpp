#include "validate/train/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace train_request_test {

using Words = std::vector<const char*>;

std::string problem_of(const Words& words) {
  try {
    read_request(words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TrainRequest, ReadsWhatWasAsked) {
  const TrainRequest request =
      read_request(Words{"alexnet", "--strategy", "data:2", "--batch", "6", "--steps", "3",
                         "--rate", "0.5", "--check", "--out", "run.json"});
  EXPECT_EQ(request.graph.name, "alexnet");
  EXPECT_EQ(request.strategy.ranks(), 2);
  EXPECT_EQ(request.training.batch, 6);
  EXPECT_EQ(request.steps, 3);
  EXPECT_EQ(request.rate, 0.5);
  EXPECT_TRUE(request.check);
  EXPECT_EQ(request.out, "run.json");
}

TEST(TrainRequest, TheRateMayRise) {
  EXPECT_EQ(read_request(Words{"alexnet"}).rate_warm_up, 0);
  EXPECT_EQ(read_request(Words{"alexnet", "--rate-warmup", "10"}).rate_warm_up, 10);
  EXPECT_EQ(problem_of({"alexnet", "--rate-warmup", "6", "--steps", "5"}),
            "--rate-warmup: is longer than the 5 steps; give fewer, or more --steps");
  EXPECT_THAT(problem_of({"alexnet", "--rate-warmup", "-1"}), testing::HasSubstr("--rate-warmup"));
}

TEST(TrainRequest, ANoiseScaleNeedsABatchWithinAnother) {
  using testing::HasSubstr;
  for (const char* strategy : {"data:2", "data:2; micro_batches=2", "serial; micro_batches=4"}) {
    const Words words = {"alexnet", "--noise-scale", "--batch", "8", "--strategy", strategy};
    EXPECT_TRUE(read_request(words).noise_scale) << strategy;
  }
  const auto problem_with = [](const char* strategy) {
    return problem_of({"alexnet", "--noise-scale", "--batch", "8", "--strategy", strategy});
  };
  EXPECT_EQ(problem_with("serial"),
            "--noise-scale: compares gradients of two batches, and one rank has one; write "
            "--strategy data:4, or --strategy \"serial; micro_batches=4\"");
  for (const char* strategy :
       {"data:2,filter:2", "filter:2", "height:2", "pipeline:2; micro_batches=2", "data:2; zero=1",
        "data:2; zero=3", "data:2; exchange=bf16", "data:2; exchange=local:1",
        "conv*=data:2; fc*=filter:2", "data:2; micro_batches=2; sync=micro_batch"}) {
    EXPECT_THAT(problem_with(strategy), HasSubstr("--noise-scale: compares a rank's own gradient"))
        << strategy;
  }
  EXPECT_THAT(problem_of({"alexnet", "--noise-scale", "--strategy", "data:4", "--batch", "3"}),
              HasSubstr("--noise-scale: leaves a rank or a micro-batch without samples"));
  EXPECT_THAT(problem_of({"alexnet", "--noise-scale", "--strategy", "data:2", "--device", "gpu"}),
              HasSubstr("--noise-scale: is measured on processors here"));
}

TEST(TrainRequest, ThisMachineIsSharedByAsManyRanksAsAreAskedFor) {
  EXPECT_GE(read_request(Words{"alexnet", "--strategy", "data:4096"}).cluster.ranks(), 4096);
}

TEST(TrainRequest, AGpuThatNobodyDescribesIsNotRefusedForItsFormats) {
  const Cluster gpu =
      read_request(Words{"alexnet", "--device", "gpu", "--precision", "tf32"}).cluster;
  EXPECT_GT(gpu.device.peak[static_cast<std::size_t>(DataType::tf32)].value, 0);
  const Cluster cpu = read_request(Words{"alexnet"}).cluster;
  EXPECT_EQ(cpu.device.peak[static_cast<std::size_t>(DataType::tf32)].value, 0);
}

TEST(TrainRequest, KnowsWhatAnExchangeAllows) {
  EXPECT_EQ(
      problem_of({"alexnet", "--strategy", "data:2; exchange=int8", "--check"}),
      "--check: compares gradients with a serial run's, which exchange=int8 changes; leave it "
      "out, and compare losses with those of exchange=auto");
  EXPECT_EQ(problem_of({"alexnet", "--strategy", "data:2; exchange=topk:100%", "--check"}), "");
  EXPECT_THAT(problem_of({"alexnet", "--strategy", "data:2; exchange=local:1", "--check"}),
              testing::HasSubstr("--check: compares gradients"));
  EXPECT_EQ(
      problem_of({"alexnet", "--strategy", "data:2; exchange=local:8", "--steps", "8"}),
      "--steps: are 8, of which 1 warm up, and exchange=local:8 averages weights in one of 8; "
      "write --steps 9");
  EXPECT_EQ(problem_of({"alexnet", "--strategy", "data:2; exchange=local:8", "--steps", "9"}), "");
  EXPECT_THAT(problem_of({"alexnet", "--strategy", "data:2; exchange=bf16", "--device", "gpu"}),
              testing::HasSubstr("--strategy: exchange=bf16 is carried out by processors here"));
}

TEST(TrainRequest, ChecksWhatIsAskedOfCheckpoints) {
  using testing::HasSubstr;
  const TrainRequest request =
      read_request(Words{"alexnet", "--checkpoint", "kept", "--checkpoint-every", "5",
                         "--checkpoint-mode", "asynchronous", "--resume", "before"});
  ASSERT_TRUE(request.checkpoints);
  EXPECT_EQ(request.checkpoints->folder, "kept");
  EXPECT_EQ(request.checkpoints->every, 5);
  EXPECT_TRUE(request.checkpoints->asynchronous);
  EXPECT_EQ(request.resume, "before");
  EXPECT_EQ(read_request(Words{"alexnet", "--checkpoint", "kept"}).checkpoints->every, 0);
  EXPECT_FALSE(read_request(Words{"alexnet"}).checkpoints);
  EXPECT_EQ(problem_of({"alexnet", "--checkpoint-every", "5"}),
            "--checkpoint-every: no folder for checkpoints is given; add --checkpoint FOLDER");
  EXPECT_THAT(problem_of({"alexnet", "--checkpoint", "kept", "--checkpoint-mode", "later"}),
              HasSubstr("--checkpoint-mode: \"later\" is not a choice"));
  EXPECT_THAT(problem_of({"alexnet", "--resume", "kept", "--check"}),
              HasSubstr("--resume: does not go with --check"));
  EXPECT_THAT(problem_of({"alexnet", "--device", "gpu", "--graph", "--checkpoint", "kept"}),
              HasSubstr("--checkpoint: does not go with --graph"));
  EXPECT_THAT(
      problem_of({"alexnet", "--strategy", "data:2; exchange=topk:1%", "--checkpoint", "c"}),
      HasSubstr("with exchange=topk:1% each has some of its own"));
}

TEST(TrainRequest, StepsOfOneRankOnAGpuMayBeReplayed) {
  const TrainRequest request =
      read_request(Words{"alexnet", "--device", "gpu", "--graph", "--warmup", "3", "--steps", "5"});
  EXPECT_TRUE(request.replays);
  EXPECT_EQ(steps_before_replay(request), 4);
  EXPECT_FALSE(read_request(Words{"alexnet"}).replays);
}

TEST(TrainRequest, WhereTheHostHasAPartNothingIsReplayed) {
  using testing::HasSubstr;
  EXPECT_THAT(problem_of({"alexnet", "--graph"}),
              HasSubstr("--graph: a processor's steps are not recorded"));
  EXPECT_THAT(problem_of({"alexnet", "--device", "gpu", "--graph", "--strategy", "data:2"}),
              HasSubstr("--graph: replays the step of one rank, and the strategy has 2"));
  EXPECT_THAT(problem_of({"alexnet", "--device", "gpu", "--graph", "--precision", "fp16"}),
              HasSubstr("--graph: in fp16 the host looks at the gradients"));
  EXPECT_THAT(problem_of({"alexnet", "--device", "gpu", "--graph", "--data", "images"}),
              HasSubstr("--graph: the host brings images"));
  EXPECT_THAT(problem_of({"alexnet", "--device", "gpu", "--graph", "--steps", "3"}),
              HasSubstr("--graph: leaves none of the 3 steps to be replayed: 3 come before"));
}

TEST(TrainRequest, RanksMayShareAGpu) {
  const Words words = {"alexnet",         "--strategy", "data:4",    "--device", "gpu",
                       "--ranks-per-gpu", "2",          "--cluster", "h200-node"};
  const TrainRequest turns = read_request(words, false);
  EXPECT_EQ(turns.sharing.ranks, 2);
  EXPECT_EQ(turns.cluster.ranks_per_device, 2);
  EXPECT_EQ(turns.cluster.levels.front().units, 2);
  EXPECT_FALSE(turns.sharing.partitioned);
  EXPECT_TRUE(read_request(words, true).sharing.partitioned);
  EXPECT_EQ(ranks_per_gpu(words), 2);
  EXPECT_EQ(ranks_per_gpu(Words{"alexnet"}), std::nullopt);
  EXPECT_THAT(problem_of({"alexnet", "--ranks-per-gpu", "2"}),
              testing::HasSubstr("--ranks-per-gpu: goes with a GPU"));
}

TEST(TrainRequest, RefusesWithPlaceAndRemedy) {
  EXPECT_EQ(
      problem_of({"alexnet", "--precision", "bf16"}),
      "--precision: a processor trains in fp32 here, and bf16 was asked for; leave the option "
      "out, or add --device gpu");
  EXPECT_EQ(problem_of({"alexnet", "--precision", "bf16", "--device", "gpu"}), "");
  EXPECT_EQ(problem_of({"alexnet", "--optimizer", "adam8bit"}),
            "--optimizer: moments are kept in fp32 here, and adam8bit was asked for; write "
            "--optimizer adam");
  EXPECT_THAT(problem_of({"alexnet", "--rate", "-1"}), testing::HasSubstr("--rate"));
  EXPECT_THAT(problem_of({"alexnet", "--rate", "nan"}), testing::HasSubstr("--rate"));
  EXPECT_THAT(problem_of({"alexnet", "--steps", "0"}), testing::HasSubstr("--steps"));
  EXPECT_THAT(problem_of({"alexnet", "--stepz", "1"}), testing::HasSubstr("--steps"));
  EXPECT_THAT(problem_of({"alexnet", "--strategy", "dada:2"}), testing::HasSubstr("--strategy"));
}

TEST(TrainRequest, OneStepWarmsUpWhereThereAreSeveral) {
  EXPECT_EQ(read_request(Words{"alexnet"}).warm_up, 1);
  EXPECT_EQ(read_request(Words{"alexnet", "--steps", "1"}).warm_up, 0);
  EXPECT_EQ(read_request(Words{"alexnet", "--steps", "5", "--warmup", "4"}).warm_up, 4);
  EXPECT_THAT(problem_of({"alexnet", "--steps", "5", "--warmup", "5"}),
              testing::HasSubstr("--warmup: leaves none of the 5 steps"));
}

TEST(TrainRequest, GpusFillAnAxisWithoutADegree) {
  const TrainRequest request =
      read_request(Words{"alexnet", "--strategy", "data,filter:2", "--gpus", "6", "--batch", "6"});
  EXPECT_EQ(to_text(request.strategy), "data:3,filter:2");
  EXPECT_THAT(problem_of({"alexnet", "--strategy", "data"}), testing::HasSubstr("no degree"));
  EXPECT_THAT(problem_of({"alexnet", "--strategy", "data:2", "--gpus", "3"}),
              testing::HasSubstr("--gpus"));
}

TEST(TrainRequest, ImagesAndWhoReadsThem) {
  const TrainRequest request = read_request(Words{"alexnet", "--data", "images", "--workers", "0"});
  EXPECT_EQ(request.data, "images");
  EXPECT_EQ(request.workers, 0);
  EXPECT_EQ(read_request(Words{"alexnet"}).workers, 1);
  EXPECT_THAT(problem_of({"alexnet", "--workers", "-1"}), testing::HasSubstr("--workers"));
}

TEST(TrainRequest, ARemedyNamesTheProgram) {
  EXPECT_THAT(problem_of({"alexnet", "--foo", "1"}),
              testing::HasSubstr("see: oracle-train --help"));
}

TEST(TrainRequest, TheWatchdogIsReadEvenWhereTheRestIsNot) {
  EXPECT_EQ(watchdog_seconds(Words{"alexnet", "--watchdog", "7", "--rate", "x"}), 7);
  EXPECT_EQ(watchdog_seconds(Words{"alexnet"}), 60);
  EXPECT_EQ(watchdog_seconds(Words{"--no-such"}), 60);
}

}  // namespace train_request_test
}  // namespace oracle
