#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/calibration/calibration_samples.h"

namespace oracle {
namespace calibration_samples_reader_test {

constexpr const char* kFixture = ORACLE_SOURCE_DIR "/tests/data/calibration/samples.json";

CalibrationSamples read(const std::string& rows) {
  return read_calibration_samples(json::parse(
      R"({"schema": "oracle/samples/1", "context": {"device": "a processor"}, )" + rows + "}",
      "s.json"));
}

/// The problems of a file, a line each.
std::string refusal(const std::string& rows) {
  try {
    read(rows);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string kernel(const std::string& members) {
  return R"("compute": [{"layer": "add 2:16x4x4+16x4x4", "type": "fp32", )" + members + "}]";
}

TEST(CalibrationSamples, AFileOfOracleBenchIsRead) {
  const std::vector<std::filesystem::path> files = {kFixture};
  const CalibrationSamples samples = load_calibration_samples(files);
  EXPECT_EQ(samples.kernels.size(), 43U);
  EXPECT_EQ(to_text(samples.kernels.front().layer), "activation 1:16x8x8 function=relu");
  EXPECT_EQ(samples.kernels.front().pass, Pass::forward);
  EXPECT_GT(samples.kernels.front().time.median.value, 0);
  EXPECT_EQ(samples.kernels.front().time.mean, samples.kernels.front().time.median)
      << "older samples have none";
  ASSERT_EQ(samples.copies.size(), 2U);
  EXPECT_EQ(samples.copies[0].pack, samples.copies[0].time.median) << "older samples have no more";
  EXPECT_EQ(samples.copies[0].unpack, samples.copies[0].time.median);
  EXPECT_EQ(samples.links.size(), 5U);
  EXPECT_EQ(samples.links[1].bytes, Bytes{4096});
  EXPECT_EQ(context_value(samples, "clock"), "processor");
  EXPECT_EQ(context_value(samples, "moon"), "");
  EXPECT_TRUE(is_samples_file(kFixture));
  EXPECT_FALSE(is_samples_file(ORACLE_SOURCE_DIR "/models/alexnet.json"));
}

TEST(CalibrationSamples, FilesAddUp) {
  const std::vector<std::filesystem::path> files = {kFixture, kFixture};
  EXPECT_EQ(load_calibration_samples(files).contexts.size(), 2U);
}

TEST(CalibrationSamples, ACrowdIsRead) {
  const std::string row = R"("crowd": [{"layer": "dense 8:64 features=32", "pass": "update",
      "type": "fp32", "optimizer": "sgd", "ranks": 4, "alone": 0.5, )";
  const CalibrationSamples samples = read(row + R"("beside": 0.75, "count": 12}])");
  ASSERT_EQ(samples.crowd.size(), 1U);
  const CrowdedKernel& crowded = samples.crowd[0];
  EXPECT_EQ(crowded.alone.pass, Pass::update);
  EXPECT_EQ(crowded.alone.optimizer, "sgd");
  EXPECT_EQ(crowded.alone.time.median, Seconds{0.5});
  EXPECT_EQ(crowded.beside, Seconds{0.75});
  EXPECT_EQ(crowded.ranks, 4);
  EXPECT_EQ(crowded.sharing, 1) << "all, where nobody looked";
  EXPECT_EQ(read(row + R"("beside": 0.75, "sharing": 0.25}])").crowd[0].sharing, 0.25);
  EXPECT_THAT(refusal(row + R"("beside": 0}])"), testing::HasSubstr("beside"));
  EXPECT_THAT(refusal(row + R"("beside": 1, "sharing": 1.5}])"), testing::HasSubstr("sharing"));
}

TEST(CalibrationSamples, CompressionsAreRead) {
  const std::string times = R"("median": 2, "low": 1, "high": 4, "mean": 3, "count": 7}])";
  const std::string row = R"("compressions": [{"step": "reduce", "exchange": "int8",
      "type": "fp32", "inputs": 2, "input": 66, )";
  const CalibrationSamples samples = read(row + R"("output": 67, )" + times);
  ASSERT_EQ(samples.compressions.size(), 1U);
  const CompressionSample& sample = samples.compressions[0];
  EXPECT_EQ(sample.step + " " + sample.exchange, "reduce int8");
  EXPECT_EQ(sample.inputs, 2);
  EXPECT_EQ(sample.input, 66);
  EXPECT_EQ(sample.output, 67);
  EXPECT_EQ(sample.time.mean, Seconds{3});
  EXPECT_THAT(refusal(row + R"("output": 0, )" + times), testing::HasSubstr("output"));
  EXPECT_THAT(refusal(R"("compressions": [{"step": "reduse", "exchange": "", "type": "fp32",
      "inputs": 2, "input": 6, "output": 6, )" +
                      times),
              testing::AllOf(testing::HasSubstr("did you mean \"reduce\"?"),
                             testing::HasSubstr("exchange: is empty")));
}

TEST(CalibrationSamples, InterferenceIsRead) {
  const CalibrationSamples samples = read(
      R"("interference": [{"level": "node", "operation": "all_reduce", "bytes": 8, "compute_alone": 1,
          "compute_beside": 2, "transfer_alone": 3, "transfer_beside": 4}])");
  ASSERT_EQ(samples.interference.size(), 1U);
  EXPECT_EQ(samples.interference[0].transfer_beside, Seconds{4});
}

TEST(CalibrationSamples, StorageIsRead) {
  const CalibrationSamples samples = read(
      R"("storage": [{"operation": "decode", "workers": 4, "bytes": 12, "median": 2, "low": 1, "high": 3,
          "count": 7}, {"operation": "read_random", "cached": true, "bytes": 8, "median": 2, "low": 1,
          "high": 3}])");
  ASSERT_EQ(samples.storage.size(), 2U);
  EXPECT_EQ(samples.storage[0].operation, StorageOperation::decode);
  EXPECT_EQ(samples.storage[0].workers, 4);
  EXPECT_EQ(samples.storage[0].bytes, Bytes{12});
  EXPECT_EQ(samples.storage[0].time.count, 7);
  EXPECT_TRUE(samples.storage[1].cached);
  const std::string refused = refusal(R"("storage": [{"operation": "write", "workers": 0}])");
  EXPECT_NE(refused.find("\"write\" is none"), std::string::npos) << refused;
  EXPECT_NE(refused.find("workers"), std::string::npos) << refused;
  EXPECT_NE(refused.find("median"), std::string::npos) << refused;
}

TEST(CalibrationSamples, ANumberThatIsNotThereIsNoZero) {
  EXPECT_NE(refusal(kernel(R"("pass": "forward", "low": 1, "high": 2)")).find("\"median\""),
            std::string::npos);
  EXPECT_NE(refusal(kernel(R"("pass": "forward", "median": 0, "low": 0, "high": 2)")), "");
  EXPECT_NE(refusal(kernel(R"("pass": "forward", "median": -1, "low": 1, "high": 2)")), "");
  EXPECT_NE(refusal(kernel(R"("pass": "forward", "median": 1, "low": 1, "high": 2, "mean": 0)")),
            "");
  EXPECT_NE(refusal(kernel(R"("pass": "forward", "median": 3, "low": 1, "high": 2)"))
                .find("between low and high"),
            std::string::npos);
}

TEST(CalibrationSamples, ProblemsNameTheirPlace) {
  const std::string sound = R"("median": 1, "low": 1, "high": 1)";
  EXPECT_NE(refusal(kernel(R"("pass": "forwards", )" + sound)).find("s.json:1:/compute/0/pass"),
            std::string::npos);
  EXPECT_NE(refusal(kernel(R"("pass": "update", )" + sound)).find("optimizer"), std::string::npos);
  EXPECT_NE(refusal(kernel(R"("pass": "forward", "optimizer": "adam", )" + sound)), "");
  EXPECT_NE(refusal(kernel(R"("pass": "forward", "medians": 3, )" + sound)).find("unknown key"),
            std::string::npos);
  EXPECT_NE(refusal(R"("compute": [{"layer": "add 2:16", "pass": "forward", "type": "fp32", )" +
                    sound + "}]"),
            "");
  EXPECT_NE(refusal(R"("links": [{"operation": "hug", "bytes": 1, )" + sound + "}]").find("hug"),
            std::string::npos);
  EXPECT_EQ(refusal(kernel(R"("pass": "forward", )" + sound)), "");
}

TEST(CalibrationSamples, AnotherFormIsRefused) {
  EXPECT_THROW(read_calibration_samples(json::parse(R"({"schema": "oracle/model/1"})", "s.json")),
               InputError);
}

}  // namespace calibration_samples_reader_test
}  // namespace oracle
