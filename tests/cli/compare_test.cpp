#include <gtest/gtest.h>

#include "oracle/io/calibration/profile_file.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace compare_test {

constexpr const char* kSmall = ORACLE_SOURCE_DIR "/tests/data/profiles/small.json";
constexpr const char* kRun = R"({"schema": "oracle/run/1"})";

void refused(std::vector<const char*> words, const char* said) {
  words.insert(words.begin(), "compare");
  const Outcome outcome = console(words);
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
}

TEST(Compare, AProfileEqualsItself) {
  const Outcome outcome = console({"compare", kSmall, kSmall});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("equal: ")) << outcome.out;
}

TEST(Compare, PastTheBarIsANo) {
  const Scratch scratch;
  ProfileFile file = read_profile(json::read(kSmall));
  for (KernelTime& kernel : file.profile.kernels) kernel.cost.time = kernel.cost.time * 1.1;
  const std::string other = scratch.file("other.json", write_profile(file));
  const Outcome outcome = console({"compare", kSmall, other.c_str()});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.out.find("differ by 10 % in the median, past the threshold of 3.0 %"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(console({"compare", kSmall, other.c_str(), "--bar", "11%"}).code, 0);
}

TEST(Compare, OnlyLikeIsComparedWithLike) {
  const Scratch scratch;
  const std::string run = scratch.file("run.json", kRun);
  const std::string list = scratch.file("list.json", "[1]");
  const std::string other = scratch.file("other.json", R"({"schema": "oracle/samples/1"})");
  refused({kSmall, run.c_str()}, "only like is compared with like; give two profiles");
  refused({run.c_str(), kSmall}, "is a profile, and ");
  refused({kSmall, list.c_str()}, "says no schema");
  refused({other.c_str(), kSmall}, "\"oracle/samples/1\", not compared");
  refused({kSmall, kSmall, "--by", "layer"}, "--by: goes with runs alone");
  refused({kSmall, kSmall, "--bar", "3"}, "has no unit");
  EXPECT_EQ(console({"compare", kSmall, scratch.path("absent.json").c_str()}).code, 3);
}

TEST(Compare, RunsAreHandedOver) {
  const Scratch scratch;
  const std::string run = scratch.file("run.json", kRun);
  const Outcome outcome = console({"compare", run.c_str(), run.c_str()});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("oracle-train"), std::string::npos) << outcome.err;
}

constexpr const char* kPrediction = ORACLE_SOURCE_DIR "/tests/data/traces/prediction.json";
constexpr const char* kTrace = ORACLE_SOURCE_DIR "/tests/data/traces/torch-2.3.json";

TEST(Compare, APredictionWithATrace) {
  const Outcome outcome = console({"compare", kPrediction, kTrace});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("step recorded 12.0 ms, predicted 10.8 ms")) << outcome.out;
}

TEST(Compare, ATraceOfAnotherDeviceOrOtherRanksIsRefused) {
  const Scratch scratch;
  const auto changed = [&](const char* from, const char* to) {
    std::string text = Scratch::read(kTrace);
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
      text.replace(at, std::string(from).size(), to);
    }
    return scratch.file("trace.json", text);
  };
  refused({kPrediction, changed("Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-80GB").c_str()},
          "was recorded on NVIDIA A100-SXM4-80GB, and NVIDIA Tesla V100-SXM2-16GB was predicted");
  refused({kPrediction, changed("\"world_size\": 4", "\"world_size\": 8").c_str()},
          "is of rank 0 of 8, and 4 ranks were predicted");
}

TEST(Compare, ATraceGoesWithAPredictionAlone) {
  const Scratch scratch;
  const std::string run = scratch.file("run.json", kRun);
  refused({kTrace, kPrediction}, "write oracle compare prediction.json trace.json");
  refused({kTrace, kTrace}, "is a trace, which is compared with a prediction");
  refused({kSmall, kTrace}, "is not a prediction, and a trace is compared with one");
  refused({run.c_str(), kTrace}, "is not a prediction");
  refused({kPrediction, kTrace, "--by", "layer"}, "--by: goes with runs alone");
  refused({kPrediction, kTrace, "--bar", "3%"}, "--bar: goes with profiles alone");
  refused({kPrediction, scratch.file("t.json.gz", "\x1f\x8b\x08").c_str()}, "gunzip -k");
  EXPECT_EQ(console({"compare", kPrediction, scratch.path("absent").c_str()}).code, 3);
}

TEST(Compare, WhereTheDeviceCannotBeComparedItIsSaid) {
  const Scratch scratch;
  std::string text = Scratch::read(kPrediction);
  text.replace(text.find("dgx-1-v100"), 10, "my-cluster");
  const Outcome outcome = console({"compare", scratch.file("p.json", text).c_str(), kTrace});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("description of my-cluster is not at hand"), std::string::npos)
      << outcome.out;
}

}  // namespace compare_test
}  // namespace oracle::cli
