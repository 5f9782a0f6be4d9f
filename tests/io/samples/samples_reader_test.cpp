#include "oracle/io/samples/samples_reader.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace oracle {
namespace samples_samples_reader_test {

using samples::Samples;

constexpr const char* kGpu = R"({"part": "cnn_train", "schema": 1, "complete": true, "runs": [
{"started": "2026-11-21T08:00:00+00:00", "budget_s": 100.0, "tiny": false, "device": "NVIDIA H200",
 "capability": "9.0", "sms": 132, "memory_bytes": 150000000000, "l2_bytes": null, "cudnn": 91002,
 "used_by_context_bytes": 600000000, "driver_version": "570.1", "cuda": "12.8", "nccl": "2.27.3",
 "clocks_before": {"clocks.sm": "1980 MHz"}, "seconds": 99.5},
{"started": "2026-11-21T09:00:00+00:00", "device": "NVIDIA H200"}],
"cases": [
{"case": {"net": "vgg16", "batch": 64, "mode": "amp", "how": "graph"}, "run": 0, "step_ms": [30.5, 30.0, 31.0], "wall_ms": 30.6, "items_per_s": 2098.0, "steps": 15, "sm_mhz": 1980, "warm_s": 1.5, "params": 138357544, "param_bytes": 553430176, "buffer_bytes": 0, "memory": {"peak_allocated": 5000000000, "device_used": 7000000000, "peak_reserved": 6000000000}, "wall_s": 3.1},
{"case": {"net": "vgg16", "batch": 512, "mode": "fp32", "how": "eager"}, "run": 0, "error": "OutOfMemoryError: CUDA out of memory", "oom": true, "wall_s": 2.0},
{"case": {"net": "vgg16", "batch": 256, "mode": "fp32", "how": "eager"}, "run": 0, "error": "did not come back", "fatal": true},
{"case": {"how": "eager", "net": "vgg11", "batch": 1, "mode": "fp32"}, "run": 0, "error": "first", "wall_s": 2.0},
{"case": {"net": "vgg11", "batch": 1, "mode": "fp32", "how": "eager"}, "run": 1, "error": "second", "wall_s": 2.0}
]})";

Samples read(const std::string& text) {
  const std::vector<json::Document> documents = {json::parse(text, "s.json")};
  return read_samples(documents);
}

/// `text` with the first occurrence of `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string problems_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read without a problem";
}

void expect_refused(const std::string& from, const std::string& to, const std::string& saying) {
  const std::string problems = problems_of(with(kGpu, from, to));
  EXPECT_NE(problems.find(saying), std::string::npos) << from << " -> " << to << "\n" << problems;
}

TEST(SamplesReader, AGraphOfAStepHasNoPhasesAndAGpuHasMemory) {
  const auto step = read(kGpu).steps.at(0);
  EXPECT_EQ(step.asked.how, samples::How::graph);
  ASSERT_TRUE(step.found);
  EXPECT_FALSE(step.found->phases.forward);
  EXPECT_EQ(step.found->sm_mhz, 1980);
  EXPECT_FALSE(step.found->loss);
  ASSERT_TRUE(step.found->memory);
  EXPECT_EQ(step.found->memory->peak_allocated, Bytes{5e9});
  EXPECT_EQ(step.found->memory->peak_reserved, Bytes{6e9});
  EXPECT_EQ(step.found->memory->device_used, Bytes{7e9});
  EXPECT_FALSE(step.found->memory->resident);
}

TEST(SamplesReader, AllEightPlacesOfTheMemoryAreRead) {
  const auto all = read(with(kGpu, R"("peak_reserved": 6000000000)",
                             R"("peak_reserved": 6, "resident": 1, "after_forward": 2,
                                "peak_forward": 3, "after_backward": 4, "peak_backward": 5,
                                "after_optimizer": 7, "peak_optimizer": 8)"));
  const samples::StepMemory& memory = *all.steps.at(0).found->memory;
  EXPECT_EQ(memory.peak_reserved, Bytes{6});
  EXPECT_EQ(memory.resident, Bytes{1});
  EXPECT_EQ(memory.after_forward, Bytes{2});
  EXPECT_EQ(memory.peak_forward, Bytes{3});
  EXPECT_EQ(memory.after_backward, Bytes{4});
  EXPECT_EQ(memory.peak_backward, Bytes{5});
  EXPECT_EQ(memory.after_optimizer, Bytes{7});
  EXPECT_EQ(memory.peak_optimizer, Bytes{8});
}

TEST(SamplesReader, TheContextOfAGpu) {
  const samples::Run run = read(kGpu).runs.at(0);
  EXPECT_EQ(run.device, "NVIDIA H200");
  EXPECT_EQ(run.capability, "9.0");
  EXPECT_EQ(run.multiprocessors, 132);
  EXPECT_EQ(run.memory, Bytes{150e9});
  EXPECT_FALSE(run.l2_cache);
  EXPECT_EQ(run.used_by_context, Bytes{6e8});
  EXPECT_EQ(run.driver_version, "570.1");
  EXPECT_EQ(run.cuda, "12.8");
  EXPECT_EQ(run.cudnn, "91002");
  EXPECT_EQ(run.nccl, "2.27.3");
  EXPECT_EQ(run.clocks_before.at("clocks.sm"), "1980 MHz");
  EXPECT_FALSE(read(kGpu).runs.at(1).duration);
}

TEST(SamplesReader, FailuresKeepTheirKind) {
  const Samples all = read(kGpu);
  EXPECT_TRUE(all.steps.at(1).failure->out_of_memory);
  EXPECT_FALSE(all.steps.at(1).failure->fatal);
  EXPECT_TRUE(all.steps.at(2).failure->fatal);
  EXPECT_EQ(all.steps.at(2).failure->error, "did not come back");
  EXPECT_FALSE(all.steps.at(2).found);
}

TEST(SamplesReader, TheLastRunsRecordOfACaseIsKept) {
  const Samples all = read(kGpu);
  ASSERT_EQ(all.steps.size(), 4U);
  EXPECT_EQ(all.steps[3].failure->error, "second");
  EXPECT_EQ(all.steps[3].run, 1U);
  const Samples swapped =
      read(with(with(kGpu, R"("run": 0, "error": "first")", R"("run": 1, "error": "late")"),
                R"("run": 1, "error": "second")", R"("run": 0, "error": "early")"));
  EXPECT_EQ(swapped.steps[3].failure->error, "late");
}

TEST(SamplesReader, UnknownResultsAreCountedAndNamed) {
  std::string text = with(kGpu, R"("wall_s": 3.1)", R"("wall_s": 3.1, "watts": 650)");
  text = with(text, R"("wall_s": 2.0)", R"("wall_s": 2.0, "watts": 600)");
  text = with(text, R"("peak_reserved": 6)", R"("pinned": 3, "peak_reserved": 6)");
  text = with(text, R"("seconds": 99.5)", R"("seconds": 99.5, "host": "a")");
  const std::map<std::string, std::size_t> expected = {
      {"cnn_train/memory/pinned", 1}, {"cnn_train/runs/host", 1}, {"cnn_train/watts", 2}};
  EXPECT_EQ(read(text).ignored, expected);
}

TEST(SamplesReader, UnknownFormsAreRefused) {
  expect_refused(R"("schema": 1)", R"("schema": 2)", "s.json:1:/schema: is not the form");
  expect_refused(R"("part": "cnn_train")", R"("part": "cnn_trian")", "did you mean \"cnn_train\"?");
  expect_refused(R"("complete": true, )", "", "\"complete\" is missing");
  expect_refused(R"("complete")", R"("colour": 1, "complete")", "unknown key \"colour\"");
  expect_refused(R"("batch": 64)", R"("batch": 64, "nodes": 2)",
                 "s.json:8:/cases/0/case/nodes: unknown key \"nodes\"");
  expect_refused(R"("mode": "amp")", R"("mode": "ampp")", "did you mean \"amp\"?");
}

TEST(SamplesReader, ACaseWithoutItsNumbersIsRefusedNotZero) {
  expect_refused(R"("step_ms": [30.5, 30.0, 31.0], )", "", "\"step_ms\" is missing");
  expect_refused("[30.5, 30.0, 31.0]", "[0, 0, 0]", "/cases/0/step_ms: is not a median above 0");
  expect_refused("[30.5, 30.0, 31.0]", "[30.5, 31.0, 30.0]", "is not a median above 0");
  expect_refused("[30.5, 30.0, 31.0]", "[30.5, 30.0]", "does not hold 3 numbers");
  expect_refused("[30.5, 30.0, 31.0]", "[null, 30.0, 31.0]", "does not hold 3 numbers");
  expect_refused(R"("wall_ms": 30.6)", R"("wall_ms": 0)", "/cases/0/wall_ms: is not above 0");
  expect_refused(R"("wall_ms": 30.6)", R"("wall_ms": 1e300)", "/cases/0/wall_ms");
  expect_refused(R"("params": 138357544)", R"("params": -1)", "/cases/0/params");
  expect_refused(R"("batch": 64)", R"("batch": 0)", "/cases/0/case/batch");
  expect_refused(R"("error": "did not come back", )", "", "failed without an \"error\"");
}

TEST(SamplesReader, ARunThatIsNotThereIsRefused) {
  expect_refused(R"("run": 1, "error")", R"("run": 2, "error")", "there is no run 2");
  expect_refused(R"("run": 0, "error": "did)", R"("run": -1, "error": "did)", "-1 is out of range");
}

TEST(SamplesReader, AFolderIsOfOneDeviceAndHasEachPartOnce) {
  expect_refused(R"(+00:00", "device": "NVIDIA H200"})", R"(+00:00", "device": "NVIDIA L4"})",
                 "is \"NVIDIA L4\", elsewhere in the folder \"NVIDIA H200\"");
  const std::vector<json::Document> twice = {json::parse(kGpu, "a.json"),
                                             json::parse(kGpu, "b.json")};
  try {
    read_samples(twice);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().at(0).place, "b.json:1:/part");
  }
}

TEST(SamplesReader, ProblemsOfAllFilesAreReportedAtOnce) {
  const std::vector<json::Document> broken = {json::parse("{}", "a.json"),
                                              json::parse("[]", "b.json")};
  try {
    read_samples(broken);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a.json:1: \"part\" is missing"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("b.json:1: is an array"), std::string::npos);
  }
}

std::string conv(const std::string& asked) {
  return R"({"part": "conv", "schema": 1, "complete": true,
 "runs": [{"started": "now", "device": "cpu"}], "cases": [{"case": )" +
         asked + R"(, "run": 0, "of": "a", "fwd_us": [1, 1, 1, 1], "dgrad_us": [1, 1, 1, 1],
 "wgrad_us": [1, 1, 1, 1]}]})";
}

TEST(SamplesReader, AConvolutionsExtentsAgree) {
  const std::string good =
      conv(R"({"batch": 2, "dtype": "fp32", "layout": "nchw", "cin": 4, "space": [8, 8], "cout": 8,
               "kernel": [3, 3], "stride": [1, 1], "pad": [1, 1], "groups": 2})");
  EXPECT_EQ(read(good).convolutions.at(0).asked.groups, 2);
  const auto says = [&](const std::string& from, const std::string& to, const std::string& saying) {
    const std::string problems = problems_of(with(good, from, to));
    EXPECT_NE(problems.find(saying), std::string::npos) << problems;
  };
  says(R"("stride": [1, 1])", R"("stride": [1])", "differ in length");
  says(R"("groups": 2)", R"("groups": 3)", "do not divide");
  says(R"("kernel": [3, 3])", R"("kernel": [0, 3])",
       "/cases/0/case/kernel: holds something that is not a size");
  says(R"("space": [8, 8])", R"("space": [])", "has no sizes");
  says(R"("dtype": "fp32")", R"("dtype": "int8")", "\"int8\" is not known");
  says("[1, 1, 1, 1]", "[1, 1, 1]", "does not hold 4 numbers");
  says("[1, 1, 1, 1]", "[1, 1, 1, -1]", "host's time below 0");
}

TEST(SamplesReader, WhatNothingRanOfIsAbsentInALayer) {
  const Samples all = read(R"({"part": "layers", "schema": 1, "complete": true,
 "runs": [{"started": "now", "device": "cpu"}], "cases": [
 {"case": {"what": "layers", "net": "a", "batch": 2, "mode": "fp32"}, "run": 0,
  "step_ms": [1, 1, 1], "layers": [["embed", "Embedding", [2, 16], 0.0, 3.5]],
  "sum_forward_us": 5, "sum_backward_us": 5},
 {"case": {"what": "kernels", "net": "a", "batch": 2, "mode": "amp"}, "run": 0, "launches": 9,
  "kernel_us": 55.5, "kernels": [["gemm", 4, 50.25]]}]})");
  const samples::LayerRow& row = all.layers.at(0).found->layers.at(0);
  EXPECT_FALSE(row.forward);
  EXPECT_NEAR(row.backward->value, 3.5e-6, 1e-15);
  const samples::KernelsFound& kernels = *all.kernels.at(0).found;
  EXPECT_EQ(kernels.launches, 9);
  EXPECT_NEAR(kernels.time.value, 55.5e-6, 1e-15);
  EXPECT_EQ(kernels.kernels.at(0).name, "gemm");
  EXPECT_EQ(kernels.kernels.at(0).launches, 4);
  EXPECT_NEAR(kernels.kernels.at(0).time.value, 50.25e-6, 1e-15);
}

TEST(SamplesReader, ASetupThatDoesNotWorkSaysSo) {
  const Samples all = read(R"({"part": "multi", "schema": 1, "complete": true,
 "runs": [{"started": "now", "device": "cpu"}], "cases": [
 {"case": {"what": "setup", "backend": "nccl", "ranks": 4, "mps": true}, "run": 0, "works": false,
  "error": "not installed", "fatal": true},
 {"case": {"what": "setup", "backend": "nccl", "ranks": 2, "mps": false}, "run": 0, "works": true,
  "exit_codes": [0, null], "error": "ended before it was done"}]})");
  EXPECT_FALSE(all.setups.at(0).found->works);
  EXPECT_EQ(all.setups.at(0).failure->error, "not installed");
  EXPECT_TRUE(all.setups.at(1).found->works);
  EXPECT_FALSE(all.setups.at(1).found->exit_codes.at(1));
}

TEST(SamplesReader, AFolderWithoutFilesIsRefused) {
  const auto refusal = [](const std::string& folder) -> std::string {
    try {
      load_samples(folder);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_NE(refusal("/nonexistent").find("is not a folder that can be read"), std::string::npos);
  EXPECT_NE(refusal(ORACLE_SOURCE_DIR "/tests/io/samples").find("holds no JSON file"),
            std::string::npos);
}

/// Any text either reads or is refused as an input.
TEST(SamplesReader, SurvivesMutatedFiles) {
  std::mt19937 random(11);
  const std::string good = kGpu;
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      text[random() % text.size()] = static_cast<char>(32 + random() % 95);
    }
    try {
      read(text);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 2000);
}

}  // namespace samples_samples_reader_test
}  // namespace oracle
