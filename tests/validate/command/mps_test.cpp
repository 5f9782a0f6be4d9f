#include "validate/command/mps.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/cli/console.h"

namespace oracle {
namespace mps_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A control daemon that writes down what it is told, first in PATH as long as the value lives.
class Control {
 public:
  explicit Control(int exit_code) : path_(std::getenv("PATH")) {
    const std::string program = scratch_.file(
        "nvidia-cuda-mps-control",
        "#!/bin/sh\n"
        "if [ \"$1\" = -d ]; then word=start; else read -r word; fi\n"
        "echo \"$word $CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\" >>\"$(dirname \"$0\")/log\"\n"
        "exit " +
            std::to_string(exit_code) + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    folder_ = std::filesystem::path(program).parent_path();
    setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }
  ~Control() { setenv("PATH", path_.c_str(), 1); }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::string log() const { return cli::Scratch::read(folder_ / "log"); }

 private:
  std::string path_;
  cli::Scratch scratch_;
  std::filesystem::path folder_;
};

TEST(Mps, RunsAsLongAsItIsWanted) {
  const Control control(0);
  {
    const MpsDaemon daemon(control.folder(), 4, MpsUse::where_it_starts);
    EXPECT_TRUE(daemon.runs());
    EXPECT_THAT(daemon.environment(), Contains(Pair("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "25")));
    EXPECT_THAT(daemon.environment(),
                Contains(Pair("CUDA_MPS_PIPE_DIRECTORY", (control.folder() / "pipes").string())));
    EXPECT_EQ(control.log(), "start 25\n");
  }
  EXPECT_EQ(control.log(), "start 25\nquit 25\n");
}

TEST(Mps, RanksTakeTurnsWhereItDoesNotStart) {
  const Control control(1);
  {
    const MpsDaemon daemon(control.folder(), 2, MpsUse::where_it_starts);
    EXPECT_FALSE(daemon.runs());
  }
  EXPECT_EQ(control.log(), "start 50\n");
  try {
    const MpsDaemon daemon(control.folder(), 2, MpsUse::always);
    FAIL() << "a daemon that ended with 1";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("CUDA MPS could not be started"));
  }
}

TEST(Mps, IsNotStartedForWhoDoesNotWantIt) {
  const Control control(0);
  EXPECT_FALSE(MpsDaemon(control.folder(), 2, MpsUse::never).runs());
  EXPECT_FALSE(MpsDaemon(control.folder(), 1, MpsUse::always).runs());
  EXPECT_EQ(control.log(), "");
}

}  // namespace mps_test
}  // namespace oracle
