#include "oracle/cli/progress_line.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace oracle::cli {
namespace progress_line_test {

using std::chrono::milliseconds;

class Watched : public testing::Test {
 protected:
  ProgressLine::Clock clock() {
    return [this] { return now_; };
  }

  std::ostringstream err_;
  std::chrono::steady_clock::time_point now_;
};

TEST_F(Watched, QuietForHalfASecondThenTenTimesASecond) {
  ProgressLine line({&err_}, "strategies", clock());
  const auto callback = line.callback();
  now_ += milliseconds(499);
  EXPECT_TRUE(callback(100, 2000));
  EXPECT_EQ(err_.str(), "");
  now_ += milliseconds(1);
  callback(1000, 2000);
  const std::string first = "\roracle: 1,000 of 2,000 strategies, 1 s left\033[K";
  EXPECT_EQ(err_.str(), first);
  callback(1001, 2000);
  EXPECT_EQ(err_.str(), first);
  now_ += milliseconds(100);
  callback(1500, 2000);
  line.clear();
  EXPECT_EQ(err_.str(), first + "\roracle: 1,500 of 2,000 strategies, 1 s left\033[K\r\033[K");
}

TEST_F(Watched, TellsHowLongTheRestWillTake) {
  ProgressLine line({&err_}, "steps", clock());
  now_ += milliseconds(6000);
  line.callback()(3, 12);
  EXPECT_EQ(err_.str(), "\roracle: 3 of 12 steps, 18 s left\033[K");
}

TEST_F(Watched, AShortSearchLeavesNothing) {
  ProgressLine line({&err_}, "strategies", clock());
  line.callback()(1, 2);
  line.clear();
  EXPECT_EQ(err_.str(), "");
}

TEST_F(Watched, NobodyWatches) {
  ProgressLine line({nullptr}, "strategies", clock());
  EXPECT_FALSE(line.callback());
}

}  // namespace progress_line_test
}  // namespace oracle::cli
