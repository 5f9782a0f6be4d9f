#include "microbench/compute/program.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

#include "oracle/base/error.h"
#include "oracle/io/calibration/calibration_samples.h"
#include "tests/cli/console.h"

namespace oracle {
namespace compute_program_test {

struct Said {
  int code = 0;
  std::string out, err;
};

Said said(const std::vector<const char*>& words) {
  std::ostringstream out, err;
  const int code = run_bench(words, out, err);
  return {code, out.str(), err.str()};
}

BenchRequest request(const std::vector<const char*>& words) { return read_bench_request(words); }

TEST(BenchProgram, ReadsItsWords) {
  const BenchRequest read = request({"--quick", "--out", "x.json", "--threads", "2", "--seconds",
                                     "5.5", "--cases", "c.txt", "--backend", "gpu"});
  EXPECT_EQ(read.size, GridSize::quick);
  EXPECT_EQ(read.out, "x.json");
  EXPECT_EQ(read.threads, 2);
  EXPECT_DOUBLE_EQ(*read.seconds, 5.5);
  EXPECT_EQ(*read.cases, "c.txt");
  EXPECT_EQ(read.backend, "gpu");
}

TEST(BenchProgram, RefusesWordsThatItDoesNotUnderstand) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{},
                                             {"--out"},
                                             {"--out", "x", "--fast"},
                                             {"--out", "x", "--threads", "0"},
                                             {"--out", "x", "--threads", "two"},
                                             {"--out", "x", "--seconds", "nan"},
                                             {"--out", "x", "--seconds", "0.5"},
                                             {"--out", "x", "--seconds", "1e7"},
                                             {"--out", "x", "--seconds", "-1"}}) {
    EXPECT_THROW(request(words), InputError);
  }
}

TEST(BenchProgram, CasesAreLinesAndProblemsNameTheirs) {
  std::istringstream sound("# a comment\n\nadd 1:16x4x4+16x4x4\n");
  EXPECT_EQ(read_cases(sound, "c.txt").size(), 1U);
  std::istringstream unsound("add 1:16x4x4+16x4x4\nadd 1\nadds 1:3\n");
  try {
    read_cases(unsound, "c.txt");
    FAIL() << "two lines are no layers";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 2U);
    EXPECT_EQ(error.problems()[0].place, "c.txt:2");
    EXPECT_EQ(error.problems()[1].place, "c.txt:3");
  }
}

TEST(BenchProgram, MeasuresCasesIntoAFile) {
  const cli::Scratch scratch;
  const std::string cases = scratch.file("c.txt", "add 1:16x16+16x16\n");
  const std::string out = scratch.path("s.json").string();
  const Said done = said({"--quick", "--cases", cases.c_str(), "--out", out.c_str()});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  const std::vector<std::filesystem::path> files = {out};
  const CalibrationSamples samples = load_calibration_samples(files);
  EXPECT_EQ(samples.kernels.size(), 5U) << "two passes of the empty kernel among them";
  EXPECT_EQ(context_value(samples, "clock"), "processor");
  EXPECT_EQ(context_value(samples, "threads"), "1");
  EXPECT_FALSE(std::filesystem::exists(out + ".part"));
  const std::filesystem::directory_iterator folder(scratch.path("")), end;
  EXPECT_EQ(std::distance(folder, end), 2) << "the cases and the samples";
}

TEST(BenchProgram, TimesEachOfAFewCasesBesideItsLike) {
  const cli::Scratch scratch;
  const std::string cases =
      scratch.file("c.txt", "dense 8:512x1x1 features=512\ndense 8:640x1x1 features=640\n");
  const std::string out = scratch.path("s.json").string();
  const Said done = said({"--quick", "--cases", cases.c_str(), "--out", out.c_str()});
  ASSERT_EQ(done.code, 0) << done.err;
  const std::vector<std::filesystem::path> files = {out};
  const CalibrationSamples samples = load_calibration_samples(files);
  const bool alone = std::thread::hardware_concurrency() < 2;
  EXPECT_EQ(samples.crowd.size(), alone ? 0U : samples.kernels.size());
}

TEST(BenchProgram, EndsAsTheWholeDoes) {
  const cli::Scratch scratch;
  const std::string out = scratch.path("s.json").string();
  EXPECT_EQ(said({"--out", out.c_str(), "--backend", "abacus"}).code, 2);
  EXPECT_EQ(said({"--out", out.c_str(), "--cases", "/nowhere/c.txt"}).code, 3);
  const std::string none = scratch.file("c.txt", "opaque 1:16x4x4\n");
  EXPECT_EQ(said({"--out", out.c_str(), "--cases", none.c_str()}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(BenchProgram, SaysHowItIsCalled) {
  const Said help = said({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.out.find("usage: oracle-bench --out FILE"), 0U) << help.out;
  EXPECT_EQ(
      said({"--fast"}).err,
      "oracle-bench: \"--fast\" is not an option of this command; see: oracle-bench --help\n");
}

}  // namespace compute_program_test
}  // namespace oracle
