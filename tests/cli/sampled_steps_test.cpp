#include "oracle/cli/sampled_steps.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oracle/base/error.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace sampled_steps_test {

using Json = nlohmann::ordered_json;

TEST(NamesDevice, EachWordOfPyTorchsNameIsAWordOfOurs) {
  EXPECT_TRUE(names_device("NVIDIA H200", "NVIDIA H200-SXM5-141GB"));
  EXPECT_TRUE(names_device("Tesla V100-SXM2-16GB", "NVIDIA Tesla V100-SXM2-16GB"));
  EXPECT_FALSE(names_device("Tesla V100-SXM2-32GB", "NVIDIA Tesla V100-SXM2-16GB"));
  EXPECT_FALSE(names_device("NVIDIA H20", "NVIDIA H200-SXM5-141GB"));
  EXPECT_FALSE(names_device("cpu", "AMD EPYC 7742"));
  EXPECT_FALSE(names_device("", "AMD EPYC 7742"));
}

class Folder : public testing::Test {
 protected:
  Folder() { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }

  /// A record of a step that ran for `ms` and held `peak` bytes.
  static std::string ran(const std::string& asked, double ms, std::int64_t parameters,
                         const std::string& peak = "8000000000") {
    const std::string time = std::to_string(ms);
    return R"({"case": {)" + asked + R"(}, "run": 0, "step_ms": [)" + time + "," + time + "," +
           time + R"(], "wall_ms": 9, "items_per_s": 9, "steps": 9, "warm_s": 9, "params": )" +
           std::to_string(parameters) + R"(, "param_bytes": 9, "buffer_bytes": 9, "memory": )" +
           R"({"peak_allocated": )" + peak + R"(, "peak_reserved": 9, "device_used": 9}})";
  }

  static std::string failed(const std::string& asked, const std::string& how) {
    return R"({"case": {)" + asked + R"(}, "run": 0, "error": "it broke", ")" + how + R"(": true})";
  }

  static std::string step(const std::string& net, std::int64_t batch, const std::string& mode) {
    return R"("net": ")" + net + R"(", "batch": )" + std::to_string(batch) + R"(, "mode": ")" +
           mode + R"(", "how": "eager")";
  }

  void write(const std::vector<std::string>& cases, const std::string& device = "NVIDIA H200") {
    std::string text = R"({"part": "cnn_train", "schema": 1, "complete": true, "runs": [{)"
                       R"("started": "2026-11-21T08:00:00+00:00", "device": ")" +
                       device + R"(", "torch": "2.11"}], "cases": [)";
    for (const std::string& one : cases) text += (&one == &cases.front() ? "" : ",") + one;
    scratch_.file("cnn_train.json", text + "]}");
  }

  Outcome accuracy(std::vector<const char*> more = {}) const {
    const std::string folder = scratch_.path("").string();
    std::vector<const char*> args = {"accuracy", "--samples", folder.c_str()};
    args.insert(args.end(), more.begin(), more.end());
    return console(args);
  }

  Json json(std::vector<const char*> more = {}) const {
    more.insert(more.end(), {"--format", "json"});
    const Outcome outcome = accuracy(more);
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out);
  }

  Scratch scratch_;
};

constexpr std::int64_t kResnet50 = 25557032;

/// Step time and bytes per GPU of one H200, as `oracle estimate` says.
Json estimated(const char* model, const char* batch, const char* precision, const char* framework) {
  return Json::parse(
      console({"estimate", model, "--cluster", "h200-node", "--strategy", "serial", "--batch",
               batch, "--precision", precision, "--framework", framework, "--format", "json"})
          .out);
}

TEST_F(Folder, APredictionIsTheEstimateOfOneDevice) {
  write({ran(step("resnet50", 64, "amp"), 50, kResnet50)});
  const Json answer = json();
  ASSERT_EQ(answer["steps"].size(), 1U);
  const Json& row = answer["steps"][0];
  const double predicted =
      estimated("resnet50", "64", "bf16", "pytorch-channels-last")["step_time"]["value"];
  EXPECT_EQ(row["network"], "resnet50");
  EXPECT_EQ(row["mode"], "amp");
  EXPECT_EQ(row["precision"], "bf16");
  EXPECT_DOUBLE_EQ(row["measured"]["value"], 0.05);
  EXPECT_DOUBLE_EQ(row["predicted"]["value"], predicted);
  EXPECT_NEAR(row["error"]["value"], predicted / 0.05 - 1, 1e-9);
  EXPECT_DOUBLE_EQ(row["memory_measured"]["value"], 8e9);
  const double reserved = 0.75 * 1024 * 1024 * 1024;  // data/devices/h200-sxm5-141gb.json
  EXPECT_NEAR(row["memory_predicted"]["value"].get<double>() + reserved,
              row["needed"]["value"].get<double>(), 1);
  EXPECT_NEAR(row["memory_error"]["value"],
              row["memory_predicted"]["value"].get<double>() / 8e9 - 1, 1e-9);
  EXPECT_EQ(row["verdict"], "fits");
  EXPECT_EQ(answer["origin"]["device"], "NVIDIA H200");
  EXPECT_EQ(answer["origin"]["machine"], "NVIDIA H200-SXM5-141GB");
  EXPECT_EQ(answer["origin"]["versions"], "PyTorch 2.11");
}

TEST_F(Folder, ModesHaveTheirPrecisions) {
  write({ran(step("resnet50", 32, "fp32"), 50, kResnet50),
         ran(step("resnet50", 32, "tf32"), 50, kResnet50)});
  const Json answer = json();
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& row = answer["steps"].at(i);
    const std::string mode = row["mode"];
    EXPECT_EQ(row["precision"], mode);
    EXPECT_DOUBLE_EQ(row["predicted"]["value"],
                     estimated("resnet50", "32", mode.c_str(), "pytorch")["step_time"]["value"]);
  }
  EXPECT_GT(answer["steps"][0]["predicted"]["value"], answer["steps"][1]["predicted"]["value"]);
}

TEST_F(Folder, ErrorsAreGroupedByNetworkBatchAndMode) {
  write({ran(step("resnet50", 32, "fp32"), 50, kResnet50),
         ran(step("resnet50", 64, "fp32"), 50, kResnet50),
         ran(step("resnet18", 64, "tf32"), 50, 11689512)});
  const Json answer = json();
  ASSERT_EQ(answer["by_network"].size(), 3U);
  EXPECT_EQ(answer["by_network"][0]["name"], "resnet18");
  EXPECT_EQ(answer["by_network"][1]["steps"], 2);
  EXPECT_EQ(answer["by_network"][2]["name"], "all");
  EXPECT_EQ(answer["by_network"][2]["verdicts"], "3 of 3");
  ASSERT_EQ(answer["by_batch"].size(), 2U);
  EXPECT_EQ(answer["by_batch"][0]["name"], "64");
  EXPECT_EQ(answer["by_batch"][0]["steps"], 2);
  EXPECT_EQ(answer["by_mode"].size(), 2U);
  const double first = answer["steps"][1]["error"]["value"];
  const double second = answer["steps"][2]["error"]["value"];
  EXPECT_NEAR(answer["by_network"][1]["bias"]["value"], (first + second) / 2, 1e-9);
}

/// 141 GB hold 64 images of ResNet-50 and not 65,536.
TEST_F(Folder, VerdictsAreComparedWhereMemoryRanOut) {
  write({failed(step("resnet50", 65536, "fp32"), "oom"), failed(step("resnet50", 8, "fp32"), "oom"),
         ran(step("resnet50", 65535, "fp32"), 50, kResnet50)});
  const Json answer = json();
  ASSERT_EQ(answer["steps"].size(), 3U);
  EXPECT_EQ(answer["steps"][0]["verdict"], "out of memory, predicted to fit");
  EXPECT_EQ(answer["steps"][1]["verdict"], "fits, predicted not to");
  EXPECT_EQ(answer["steps"][2]["verdict"], "out of memory");
  EXPECT_TRUE(answer["steps"][0]["predicted"].is_null());
  EXPECT_TRUE(answer["steps"][1]["error"].is_null());
  EXPECT_EQ(answer["by_network"][0]["verdicts"], "1 of 3");
}

TEST_F(Folder, WhatIsNotComparedSaysWhy) {
  write({ran(step("resnet50", 64, "amp"), 50, kResnet50 + 1),
         ran(step("resnet49", 64, "amp"), 50, 5), ran(step("resnet49", 32, "amp"), 50, 5),
         failed(step("resnet50", 8, "amp"), "fatal")});
  const Outcome outcome = accuracy();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.out.starts_with("no training step of these samples can be compared"));
  for (const char* line :
       {"resnet50: has 25557033 parameters as measured, 25557032 in models/: not the same network",
        "resnet49: models/ holds no network of that name (2 steps)",
        "resnet50, batch 8, amp, eager: failed: it broke"}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome.out;
  }
}

TEST_F(Folder, TheMachineCanBeNamed) {
  write({ran(step("resnet50", 8, "fp32"), 50, kResnet50)}, "cpu");
  const Outcome unnamed = accuracy();
  EXPECT_EQ(unnamed.code, 2);
  EXPECT_EQ(unnamed.err,
            "oracle: --samples: measured on \"cpu\", which names none of data/devices; name the "
            "machine with --cluster NAME\n");
  EXPECT_EQ(accuracy({"--cluster", "abci"}).code, 0);
  EXPECT_EQ(json({"--cluster", "abci"})["steps"][0]["verdict"], "fits");
}

TEST_F(Folder, ANameOfSeveralDevicesIsRefused) {
  write({ran(step("resnet50", 8, "fp32"), 50, kResnet50)}, "NVIDIA");
  EXPECT_NE(accuracy().err.find("names several: a10, a100-pcie-40gb, a100-pcie-80gb"),
            std::string::npos);
}

TEST_F(Folder, CsvHoldsTheSteps) {
  write({ran(step("resnet50", 64, "amp"), 50, kResnet50)});
  const std::string csv = accuracy({"--format", "csv"}).out;
  EXPECT_TRUE(csv.starts_with("network,batch,mode,precision,how,measured [s],predicted [s],error "))
      << csv;
  EXPECT_NE(csv.find("resnet50,64,amp,bf16,eager,0.05,"), std::string::npos) << csv;
}

TEST_F(Folder, BadInputIsOneClearMessage) {
  EXPECT_EQ(console({"accuracy", "--cluster", "abci"}).err,
            "oracle: --cluster: goes with --samples alone; leave it out, or add --samples\n");
  EXPECT_EQ(console({"accuracy", "--samples", "/nonexistent"}).code, 2);
  scratch_.file("cnn_train.json", R"({"part": "cnn_train", "schema": 7})");
  EXPECT_NE(accuracy().err.find("cnn_train.json:1:/schema: is not the form"), std::string::npos);
}

/// The folder of a real, small run: seven of its ten nets take images of 64 x 64.
TEST_F(Folder, TheCpuFolderIsCompared) {
  const Json answer =
      Json::parse(console({"accuracy", "--samples", ORACLE_SOURCE_DIR "/tests/data/torch-cpu",
                           "--cluster", "xeon-ethernet", "--format", "json"})
                      .out);
  EXPECT_EQ(answer["steps"].size(), 7U);
  EXPECT_EQ(answer["left_out"].size(), 5U);
  EXPECT_DOUBLE_EQ(answer["steps"][6]["measured"]["value"], 0.9632);
}

}  // namespace sampled_steps_test
}  // namespace oracle::cli
