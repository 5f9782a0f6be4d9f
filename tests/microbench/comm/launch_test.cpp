#include "microbench/comm/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace launch_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kDashes(74, '-');

std::string printed(LauncherText& text, const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += text.take(line);
  return all + text.rest();
}

/// The status that waitpid gives for an exit code.
int exited(int code) { return code << 8; }

TEST(Launch, RanksAreBoundWhereEachHasACore) {
  LaunchOptions options;
  options.ranks = 2;
  options.command = {"train", "--plan", "p.json"};
  EXPECT_THAT(mpirun_command(options, 2, false),
              ElementsAre("mpirun", "--map-by", "core", "--bind-to", "core", "-np", "2", "train",
                          "--plan", "p.json"));
}

TEST(Launch, RanksThatOutnumberTheCoresYield) {
  LaunchOptions options;
  options.ranks = 4;
  options.command = {"train"};
  options.mpirun_arguments = {"--hostfile", "hosts"};
  options.environment = {{"OMP_NUM_THREADS", "1"}};
  EXPECT_THAT(mpirun_command(options, 2, true),
              ElementsAre("mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                          "--mca", "mpi_yield_when_idle", "1", "-x", "OMP_NUM_THREADS",
                          "--hostfile", "hosts", "-np", "4", "train"));
}

TEST(Launch, OwnExitCodesAreKeptAndOthersBecomeThree) {
  for (const int code : {0, 1, 2, 3, 70}) {
    EXPECT_EQ(meaning_of(exited(code), {}).exit_code, code);
    EXPECT_THAT(meaning_of(exited(code), {}).sentence, IsEmpty());
  }
  for (const int code : {4, 110, 134, 137}) EXPECT_EQ(meaning_of(exited(code), {}).exit_code, 3);
  EXPECT_EQ(meaning_of(exited(110), {}).sentence, "mpirun ended with exit code 110");
  const int killed = 9;
  EXPECT_EQ(meaning_of(killed, {}).exit_code, 3);
  EXPECT_EQ(meaning_of(killed, {}).sentence, "mpirun was ended by signal 9 (Killed)");
}

TEST(Launch, TheRankThatWasKilledIsTakenFromMpirunsText) {
  LauncherText text;
  EXPECT_EQ(printed(text, {"before", kDashes,
                           "mpirun noticed that process rank 1 with PID 0 on node n7 exited on "
                           "signal 9 (Killed).",
                           kDashes, "after"}),
            "before\nafter\n");
  EXPECT_EQ(text.first_end(), (RankEnd{1, "n7", "was ended by signal 9 (Killed)"}));
  EXPECT_EQ(meaning_of(exited(137), text.first_end()).sentence,
            "rank 1 on n7 was ended by signal 9 (Killed); the other ranks were ended");
}

TEST(Launch, TheRankThatEndedWithAnErrorIsTakenFromMpirunsText) {
  LauncherText text;
  EXPECT_EQ(printed(text, {kDashes,
                           "mpirun detected that one or more processes exited with non-zero "
                           "status, thus causing",
                           "the job to be terminated. The first process to do so was:", "",
                           "  Process name: [[28330,1],5]", "  Exit code:    9", kDashes}),
            "");
  EXPECT_EQ(meaning_of(exited(9), text.first_end()).sentence,
            "rank 5 ended with exit code 9; the other ranks were ended");
}

TEST(Launch, OtherTextsBetweenDashesPass) {
  LauncherText text;
  const std::vector<std::string> lines = {kDashes, "mpirun was unable to launch the program",
                                          kDashes, "a line of a rank",
                                          kDashes, "cut off"};
  std::string due;
  for (const std::string& line : lines) due += line + "\n";
  EXPECT_EQ(printed(text, lines), due);
  EXPECT_FALSE(text.first_end());
}

TEST(Launch, ThereIsACore) { EXPECT_GE(usable_cores(), 1); }

}  // namespace launch_test
}  // namespace oracle
