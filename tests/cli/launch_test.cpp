#include "oracle/cli/launch.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace launch_test {

Outcome launched(const char* framework, const char* strategy, const char* cluster = "dgx-a100") {
  return console({"estimate", "resnet50", "--cluster", cluster, "--strategy", strategy, "--batch",
                  "512", "--framework", framework, "--launch", "--format", "json"});
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

TEST(Launch, WhatNoCommandLineStartsIsRefused) {
  const Outcome other = launched("pytorch", "filter:4");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("is for data parallel strategies"), std::string::npos) << other.err;
  const Outcome sharded = launched("pytorch", "data:4; zero=3");
  EXPECT_EQ(sharded.code, 2);
  EXPECT_NE(sharded.err.find("knows no line that shards state"), std::string::npos) << sharded.err;
  const Outcome silent = launched("chainer", "data:4");
  EXPECT_EQ(silent.code, 2);
  EXPECT_NE(silent.err.find("does not say how"), std::string::npos) << silent.err;
}

}  // namespace launch_test
}  // namespace oracle::cli
