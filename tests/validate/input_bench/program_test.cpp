#include "validate/input_bench/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "oracle/io/calibration/calibration_samples.h"
#include "tests/cli/console.h"
#include "tests/validate/data/images/scratch.h"

namespace oracle {
namespace input_bench_program_test {

using testing::HasSubstr;

cli::Outcome bench(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_input_bench(pointers, out, err);
  return {code, out.str(), err.str()};
}

CalibrationSamples samples_in(const std::string& file) {
  const std::vector<std::filesystem::path> files = {file};
  return load_calibration_samples(files);
}

TEST(InputBench, MeasuresAFolderOfImages) {
  const ImageScratch scratch;
  scratch.write("set/a/1.png", gray(2, "ab"));
  scratch.write("set/b/1.png", gray(2, "cd"));
  const std::string file = scratch.path("input.json").string();
  const cli::Outcome outcome =
      bench({"--data", scratch.path("set").string(), "--out", file, "--workers", "2",
             "--checkpoint", "64 KiB", "--seconds", "0.1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "") << "what oracle calibrate answers stands there";
  const CalibrationSamples samples = samples_in(file);
  ASSERT_EQ(samples.storage.size(), 7U);
  EXPECT_EQ(samples.storage[0].operation, StorageOperation::read_sequential);
  EXPECT_EQ(samples.storage[1].operation, StorageOperation::read_random);
  EXPECT_EQ(samples.storage[1].bytes, Bytes{2});
  EXPECT_EQ(samples.storage[3].workers, 2);
  EXPECT_EQ(samples.storage[6].operation, StorageOperation::checkpoint);
  EXPECT_EQ(samples.storage[6].bytes, Bytes{65536});
}

TEST(InputBench, CheckpointsAlone) {
  const ImageScratch scratch;
  const std::string file = scratch.path("input.json").string();
  const std::string folder = scratch.path("").string();
  const cli::Outcome outcome =
      bench({"--out", file, "--folder", folder, "--checkpoint", "16 kB", "--seconds", "0.1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(samples_in(file).storage.size(), 3U);
}

TEST(InputBench, HelpAndUsage) {
  EXPECT_EQ(bench({"--help"}).code, 0);
  EXPECT_THAT(bench({"--help"}).out, HasSubstr("oracle-bench-input"));
  EXPECT_EQ(bench({}).code, 2);
  const cli::Outcome bad = bench({"--out", "x", "--checkpoint", "12", "--workers", "0"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("\"12\" has no unit"));
  EXPECT_THAT(bad.err, HasSubstr("--workers"));
  EXPECT_EQ(bench({"--out", "x", "--data", "/no/such/folder"}).code, 2);
  EXPECT_EQ(bench({"--out", "/no/such/folder/x", "--checkpoint", "1 kB"}).code, 3);
}

}  // namespace input_bench_program_test
}  // namespace oracle
