#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/io/machine/nccl_topology.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace inspect_test {

using testing::HasSubstr;

TEST(Inspect, AnswersWhatThisMachineIs) {
  const Outcome outcome = console({"inspect"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"processor", "this program was built with", "oneDNN"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_THAT(console({"inspect", "--format", "json"}).out, HasSubstr("oracle/machine/1"));
}

TEST(Inspect, TakesGpusFromWhatNcclWrote) {
  const std::string file = ORACLE_SOURCE_DIR "/tests/data/nccl-topology/h100_two_of_eight.xml";
  const Outcome outcome = console({"inspect", "--topology", file.c_str()});
  if (reads_nccl_topology()) {
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("0000:cc:00.0"));
  } else {
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.err, HasSubstr("libtinyxml2-dev"));
  }
}

TEST(Inspect, AFileThatCannotBeReadIsTheSurroundings) {
  EXPECT_EQ(console({"inspect", "--topology", "/nonexistent.xml"}).code, 3);
}

TEST(Inspect, TheBatchSystemsWordsAreCheckedToo) {
  setenv("SLURM_JOB_ID", "1", 1);
  setenv("SLURM_JOB_NODELIST", "n[1-", 1);
  const Outcome outcome = console({"inspect"});
  unsetenv("SLURM_JOB_ID");
  unsetenv("SLURM_JOB_NODELIST");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("SLURM_JOB_NODELIST: \"n[1-\" has an open bracket"));
}

}  // namespace inspect_test
}  // namespace oracle::cli
