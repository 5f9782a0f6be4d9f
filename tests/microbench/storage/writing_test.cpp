#include "microbench/storage/writing.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/cli/console.h"

namespace oracle {
namespace writing_test {

constexpr StopRule kBrief{.least = 3, .least_seconds = 0, .error = 1e9, .most_seconds = 0};

TEST(Writing, ThreeSizesAndNothingLeftBehind) {
  const cli::Scratch scratch;
  const std::vector<WriteTimes> all = measure_writing(scratch.path(""), 1 << 20, kBrief);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].bytes, 1U << 16);
  EXPECT_EQ(all[1].bytes, 1U << 18);
  EXPECT_EQ(all[2].bytes, 1U << 20);
  for (const WriteTimes& times : all) {
    EXPECT_EQ(times.series.values().size(), 3U);
    EXPECT_GT(times.series.median(), 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path("")));
}

TEST(Writing, WhereNothingCanBeWrittenIsNamed) {
  const cli::Scratch scratch;
  try {
    write_and_sync(scratch.path("absent"), 10);
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("absent/.oracle-checkpoint-"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

}  // namespace writing_test
}  // namespace oracle
