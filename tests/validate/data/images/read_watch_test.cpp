#include "validate/data/images/read_watch.h"

#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/validate/data/images/scratch.h"
#include "validate/data/images/image_set.h"

namespace oracle {
namespace read_watch_test {

using testing::HasSubstr;

/// A pipe whose writer writes nothing, until a report lets the reader go.
TEST(ReadWatch, AReadThatDoesNotReturnIsReported) {
  const ImageScratch scratch;
  std::filesystem::create_directories(scratch.path(""));
  const std::string pipe = scratch.path("pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int held = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(held, 0);
  std::string said;
  {
    ReadWatch watch({0.2, "rank 1", [&](const std::string& line) {
                       said = line;
                       EXPECT_EQ(write(held, "x", 1), 1);
                     }});
    const auto reading = watch.reading("images/a.png");
    char byte = 0;
    EXPECT_EQ(read(held, &byte, 1), 1);
  }
  close(held);
  EXPECT_THAT(said, HasSubstr("rank 1: images/a.png: has not been read within 0.2 s"));
}

TEST(ReadWatch, ReadsThatReturnAreNot) {
  std::string said;
  {
    ReadWatch watch({0.2, "", [&](const std::string& line) { said = line; }});
    for (int i = 0; i < 10; ++i) {
      const auto reading = watch.reading("a.png");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  EXPECT_EQ(said, "");
}

/// A lease on a file, which its holder does not give up, keeps a reader that opens it waiting as a
/// disk does that hangs.
void hold_lease(const std::string& file) {
  signal(SIGIO, SIG_IGN);
  const int held = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (held < 0 || fcntl(held, F_SETLEASE, F_WRLCK) != 0) GTEST_SKIP() << "no leases here";
}

TEST(ReadWatchDeathTest, ImagesOnADiskThatHangsEndTheProgram) {
  const ImageScratch scratch;
  for (const char* name : {"a/0.png", "a/1.png"}) scratch.write(name, gray(2, "xy"));
  hold_lease(scratch.path("a/1.png").string());
  if (IsSkipped()) return;
  EXPECT_EXIT(open_images(scratch.path(""), 2, {0.3, "rank 0"}), testing::ExitedWithCode(3),
              "rank 0: .*a/1.png: has not been read within 0.3 s; see whether its disk answers");
}

}  // namespace read_watch_test
}  // namespace oracle
