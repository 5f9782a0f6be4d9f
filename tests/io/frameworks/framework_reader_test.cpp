#include "oracle/io/frameworks/framework_reader.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace framework_reader_test {

Framework read(const std::string& text) {
  return read_framework(json::parse(text, "data/frameworks/mine.json"));
}

TEST(FrameworkReader, ReadsEveryMember) {
  const Framework framework = read(
      R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_first",
          "workspace": "64 MiB", "host_per_kernel": "10 us", "fuses": true,
          "half_layout": "channels_last", "half_fuses_sums": true, "half_pads_images": true,
          "gradient_sums": "in_kernels", "attention": "cudnn", "mixed_precision": "fp32_weights", "options": "overlap=off", "halo_latency": "3 ms"})");
  EXPECT_EQ(framework.id, "mine");
  EXPECT_EQ(framework.name, "Mine");
  EXPECT_FALSE(framework.channels_last);
  EXPECT_EQ(framework.workspace.value, 64 * 1024 * 1024);
  EXPECT_EQ(framework.host_per_kernel.value, 10e-6);
  EXPECT_TRUE(framework.fuses);
  EXPECT_TRUE(framework.half_channels_last);
  EXPECT_TRUE(framework.half_fuses_sums);
  EXPECT_TRUE(framework.half_pads_images);
  EXPECT_TRUE(framework.sums_in_kernels);
  EXPECT_TRUE(framework.fp32_weights);
  EXPECT_FALSE(framework.promotes);
  EXPECT_EQ(framework.options, "overlap=off");
  EXPECT_EQ(framework.halo_latency.value, 3e-3);
  EXPECT_EQ(framework.attention, AttentionKernel::cudnn);
}

TEST(FrameworkReader, AutocastKeepsWeightsInFp32) {
  const Framework framework = read(
      R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_first",
          "mixed_precision": "autocast"})");
  EXPECT_TRUE(framework.fp32_weights);
  EXPECT_TRUE(framework.promotes);
}

TEST(FrameworkReader, ReadsTheFormatsOfState) {
  const Framework framework = read(
      R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_first",
          "gradients": "fp32", "reduce": "bf16", "master": "fp32+gradients", "loss": "fp32",
          "buckets": "copies", "expert_weights": "activation", "recompute": "blocks",
          "allocator_reserve": {"least": 0.02, "most": 0.1}})");
  EXPECT_EQ(framework.state, (StateFormats{4, 2, 8}));
  EXPECT_TRUE(framework.fp32_loss);
  EXPECT_TRUE(framework.copies_buckets);
  EXPECT_TRUE(framework.weights_rows_early);
  EXPECT_TRUE(framework.recomputes_whole_blocks);
  EXPECT_EQ(framework.least_reserve, 0.02);
  EXPECT_EQ(framework.most_reserve, 0.1);
}

TEST(FrameworkReader, ReadsWhichStrategiesItRuns) {
  const Framework framework = read(
      R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_first",
          "strategies": {"images": ["data"], "texts": ["data", "tensor"], "options": ["zero"]}})");
  EXPECT_EQ(framework.image_axes, (std::vector<std::string>{"data"}));
  EXPECT_EQ(framework.text_axes, (std::vector<std::string>{"data", "tensor"}));
  EXPECT_TRUE(has_switch(framework, "zero"));
  EXPECT_FALSE(has_switch(framework, "overlap"));
  EXPECT_TRUE(has_switch({}, "overlap"));
}

TEST(FrameworkReader, SaysWhichKernelOfAttentionIsNone) {
  try {
    read(R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_first",
             "attention": "cudn"})");
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().message, "\"cudn\" is no kernel of attention");
    EXPECT_NE(error.problems().front().remedy.find("cudnn"), std::string::npos);
  }
}

TEST(FrameworkReader, AnEmptyListOfStrategiesIsRefused) {
  try {
    read(R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_first",
             "strategies": {"images": [], "texts": ["data"]}})");
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().message, "is empty, and would mean all");
  }
}

TEST(FrameworkReader, SaysWhichFormatOfStateIsNone) {
  try {
    read(R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_first",
             "gradients": "fp31", "allocator_reserve": {"least": 0.2, "most": 0.1}})");
    FAIL() << "was read";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 2U) << error.what();
    EXPECT_NE(error.problems()[0].place.find("/gradients"), std::string::npos);
    EXPECT_NE(error.problems()[1].place.find("/allocator_reserve/most"), std::string::npos);
  }
}

TEST(FrameworkReader, WhatIsAbsentBoundsNothing) {
  const Framework framework =
      read(R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_last"})");
  EXPECT_TRUE(std::isinf(framework.workspace.value));
  EXPECT_EQ(framework.host_per_kernel.value, 0);
  EXPECT_FALSE(framework.fuses);
  EXPECT_TRUE(framework.channels_last);
  EXPECT_FALSE(framework.fp32_weights);
  EXPECT_EQ(framework.options, "");
  EXPECT_EQ(framework.halo_latency.value, 0);
}

TEST(FrameworkReader, SaysWhatIsWrong) {
  try {
    read(R"({"schema": "oracle/framework/1", "name": "Mine", "layout": "channels_fist",
             "workspace": "much", "fuse": true})");
    FAIL() << "was read";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("channels_first"), std::string::npos) << text;
    EXPECT_NE(text.find("/workspace"), std::string::npos) << text;
    EXPECT_NE(text.find("/fuse"), std::string::npos) << text;
  }
}

TEST(FrameworkReader, AMissingLayoutIsOneProblem) {
  try {
    read(R"({"schema": "oracle/framework/1", "name": "Mine"})");
    FAIL() << "was read";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 1U) << error.what();
    EXPECT_NE(error.problems()[0].message.find("\"layout\" is missing"), std::string::npos);
  }
}

TEST(FrameworkReader, EveryShippedFileIsRead) {
  const auto names = names_in("data/frameworks");
  EXPECT_GE(names.size(), 11U);
  for (const std::string& name : names) {
    const Framework framework = load_framework(name);
    EXPECT_EQ(framework.id, name);
    EXPECT_FALSE(framework.name.empty());
  }
}

/// A default framework is that of the kernels of this project.
TEST(FrameworkReader, OracleTrainIsTheDefault) {
  const Framework shipped = load_framework("oracle-train"), own;
  EXPECT_EQ(shipped.id, own.id);
  EXPECT_EQ(shipped.channels_last, own.channels_last);
  EXPECT_EQ(shipped.workspace, own.workspace);
  EXPECT_EQ(shipped.host_per_kernel, own.host_per_kernel);
  EXPECT_EQ(shipped.fuses, own.fuses);
}

}  // namespace framework_reader_test
}  // namespace oracle
