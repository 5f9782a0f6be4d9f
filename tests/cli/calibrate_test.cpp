#include <gtest/gtest.h>

#include "oracle/io/calibration/profile_file.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace cli_calibrate_test {

constexpr const char* kSamples = ORACLE_SOURCE_DIR "/tests/data/calibration/samples.json";

struct Profiled {
  Scratch scratch;
  std::string file = scratch.path("mine.json").string();
  Outcome outcome = console({"calibrate", "--from", kSamples, "-o", file.c_str()});
};

TEST(Calibrate, SamplesBecomeAProfile) {
  const Profiled profiled;
  EXPECT_EQ(profiled.outcome.code, 0) << profiled.outcome.err;
  EXPECT_NE(profiled.outcome.out.find("kernels measured"), std::string::npos);
  const ProfileFile file = read_profile(json::read(profiled.file));
  EXPECT_EQ(file.profile.name, "mine");
  EXPECT_FALSE(file.profile.kernels.empty());
  EXPECT_FALSE(file.profile.fits.empty());
  EXPECT_EQ(file.profile.links.size(), 1U);
}

TEST(Calibrate, AProfileIsAClusterWhoseKernelsAreMeasured) {
  const Profiled profiled;
  const Outcome estimate = console({"estimate", "alexnet", "--cluster", profiled.file.c_str(),
                                    "--strategy", "serial", "--batch", "4"});
  EXPECT_EQ(estimate.code, 0) << estimate.err;
  EXPECT_NE(estimate.out.find("lie outside of the shapes measured"), std::string::npos)
      << estimate.out;
  EXPECT_NE(estimate.out.find("like none that was measured"), std::string::npos);
  EXPECT_EQ(estimate.out.find("no kernel of"), std::string::npos);
  EXPECT_EQ(console({"plan", "alexnet", "--cluster", profiled.file.c_str(), "--gpus", "2"}).code,
            0);
  EXPECT_EQ(console({"scale", "alexnet", "--cluster", profiled.file.c_str(), "--gpus", "1,2"}).code,
            0);
}

TEST(Calibrate, MergingAProfileWithItselfChangesNothing) {
  const Profiled profiled;
  const std::string twice = profiled.file + "," + profiled.file;
  const std::string merged = profiled.scratch.path("merged.json").string();
  const Outcome outcome = console({"calibrate", "--merge", twice.c_str(), "-o", merged.c_str()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const ProfileFile one = read_profile(json::read(profiled.file));
  const ProfileFile both = read_profile(json::read(merged));
  EXPECT_EQ(both.profile.kernels.size(), one.profile.kernels.size());
  EXPECT_EQ(both.profile.fits, one.profile.fits);
}

/// A log that says nothing a profile could keep: what it lacks, and what to do.
TEST(Calibrate, WhyNothingWasKeptIsSaid) {
  const auto refused = [](const std::string& log) {
    const std::string file = ORACLE_SOURCE_DIR "/tests/data/measurements/" + log;
    const Scratch scratch;
    const std::string out = scratch.path("kept.json").string();
    const Outcome outcome =
        console({"calibrate", "--from", file.c_str(), "--cluster", "dgx-a100", "-o", out.c_str()});
    EXPECT_EQ(outcome.code, 2) << log;
    return outcome.err;
  };
  EXPECT_NE(refused("osu_latency_one_size.txt").find("of no known level; give --level"),
            std::string::npos);
}

/// Bus bandwidth of the log's longest rows: 12 GB/s.
TEST(Calibrate, AnAllToAllAcrossNodesIsFitted) {
  const Scratch scratch;
  const std::string out = scratch.path("kept.json").string();
  const std::string log =
      ORACLE_SOURCE_DIR "/tests/data/measurements/nccl_old_alltoall_no_redop.txt";
  ASSERT_EQ(
      console({"calibrate", "--from", log.c_str(), "--cluster", "dgx-a100", "-o", out.c_str()})
          .code,
      0);
  const Profile profile = read_profile(json::read(out)).profile;
  ASSERT_EQ(profile.links.size(), 1U);
  EXPECT_EQ(profile.links[0].ranks, 16);
  EXPECT_EQ(profile.links[0].per_unit, 8);
  EXPECT_NEAR(profile.links[0].pieces.back().bandwidth.value, 12e9, 0.02e9);
}

constexpr const char* kStorage = R"({"schema": "oracle/samples/1", "context": {}, "storage": [
  {"operation": "read_random", "bytes": 150528, "median": 1e-3, "low": 1e-3, "high": 1e-3},
  {"operation": "decode", "bytes": 150528, "median": 1e-3, "low": 1e-3, "high": 1e-3},
  {"operation": "checkpoint", "bytes": 1000000, "median": 0.1, "low": 0.1, "high": 0.1}]})";

TEST(Calibrate, RatesOfStoragePriceInputAndCheckpoints) {
  const Scratch scratch;
  const std::string samples = scratch.file("input.json", kStorage);
  const std::string file = scratch.path("stored.json").string();
  const Outcome calibrated = console(
      {"calibrate", "--from", samples.c_str(), "--cluster", "dgx-1-v100", "-o", file.c_str()});
  ASSERT_EQ(calibrated.code, 0) << calibrated.err;
  EXPECT_NE(calibrated.out.find("read random"), std::string::npos) << calibrated.out;
  const std::vector<const char*> asked = {"estimate", "alexnet",  "--cluster",  file.c_str(),
                                          "--batch",  "64",       "--strategy", "serial",
                                          "--input",  "3x224x224"};
  std::vector<const char*> more = asked;
  more.insert(more.end(), {"--workers", "4", "--checkpoint-every", "1000"});
  const Outcome plain = console(asked), detailed = console(more);
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_NE(plain.out.find("64 samples of 151 kB a rank"), std::string::npos) << plain.out;
  EXPECT_NE(detailed.out.find("4 workers to read and decode"), std::string::npos) << detailed.out;
  EXPECT_NE(detailed.out.find("every 1,000 steps"), std::string::npos) << detailed.out;
  more[3] = "dgx-1-v100";
  const Outcome none = console(more);
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--workers: needs the rates of storage"), std::string::npos) << none.err;
}

TEST(Calibrate, WhatContradictsItselfIsRefused) {
  const Scratch scratch;
  const std::string none =
      scratch.file("none.json", R"({"schema": "oracle/samples/1", "context": {}})");
  const auto refused = [](std::vector<const char*> words, const char* said) {
    words.insert(words.begin(), "calibrate");
    const Outcome outcome = console(words);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  };
  refused({"--from", kSamples, "--merge", kSamples}, "only one of");
  refused({"--strategy", "data:2"}, "goes with --for");
  refused({"--merge", kSamples, "--cluster", "abci"}, "--cluster");
  refused({"--from", kSamples, "--data", "photos"}, "--data");
  refused({"--merge", kSamples}, "is not the format of a profile");
  refused({"--merge", ","}, "names no profile");
  refused({"--from", none.c_str()}, "not one measurement");
  refused({"--operation", "hug", "--from", kSamples}, "hug");
  refused({"--for", "resnet5"}, "resnet50");
  refused({"--quick", "--cluster", "dgx-1-v100"}, "V100-SXM2-16GB");
  refused({"--from", kSamples, "--cluster", "dgx-1-v100"}, "were measured on Intel(R) Xeon(R)");
}

TEST(Calibrate, WithoutTheProgramThatMeasuresItSaysWhatToDo) {
  const Scratch scratch;
  const Outcome outcome = console({"calibrate", "--quick", "-o", scratch.path("x.json").c_str()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("oracle-bench is not there"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--from"), std::string::npos);
}

constexpr const char* kTrace = ORACLE_SOURCE_DIR "/tests/data/traces/torch-2.3.json";

TEST(Calibrate, ATraceBecomesAProfile) {
  const Scratch scratch;
  const std::string file = scratch.path("traced.json").string();
  const Outcome outcome = console({"calibrate", "--from", kTrace, "--cluster", "dgx-1-v100",
                                   "--level", "node", "-o", file.c_str()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("of equal collectives the fastest counts"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("3 left out: aten::clamp_min_ is no layer"), std::string::npos)
      << outcome.out;
  const ProfileFile read = read_profile(json::read(file));
  EXPECT_EQ(read.profile.kernels.size(), 8U);
  ASSERT_EQ(read.profile.links.size(), 1U);
  EXPECT_EQ(read.profile.links[0].operation, "all_reduce");
}

TEST(Calibrate, ATraceOfAnotherDeviceIsRefused) {
  const Scratch scratch;
  const Outcome outcome = console({"calibrate", "--from", kTrace, "--cluster", "dgx-a100", "-o",
                                   scratch.path("p.json").c_str()});
  EXPECT_EQ(outcome.code, 2) << outcome.out;
}

}  // namespace cli_calibrate_test
}  // namespace oracle::cli
