#include "oracle/cli/output.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <ostream>
#include <streambuf>

#include "oracle/base/error.h"

namespace oracle::cli {
namespace output_test {

/// A stream whose reader has gone, or whose disk is full.
class Broken : public std::streambuf {
 public:
  explicit Broken(int error) : error_(error) {}

 protected:
  int_type overflow(int_type) override {
    errno = error_;
    return traits_type::eof();
  }

 private:
  int error_;
};

TEST(Output, AReaderThatHasGoneIsNoError) {
  Broken pipe(EPIPE);
  std::ostream out(&pipe);
  EXPECT_NO_THROW(write_stream(out, "text"));
}

TEST(Output, AFullDiskIs) {
  Broken disk(ENOSPC);
  std::ostream out(&disk);
  EXPECT_THROW(write_stream(out, "text"), EnvironmentError);
}

}  // namespace output_test
}  // namespace oracle::cli
