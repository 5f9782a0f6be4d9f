#include "microbench/timing/exit_code.h"

#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>

#include "oracle/base/error.h"

namespace oracle {
namespace {

TEST(ExitCode, SaysWhoseFaultItIs) {
  std::ostringstream err;
  EXPECT_EQ(exit_code_of("p", err, [] {}), 0);
  EXPECT_EQ(err.str(), "");
  EXPECT_EQ(exit_code_of("p", err, [] { throw InputError("--out", "is missing"); }), 2);
  EXPECT_EQ(exit_code_of("p", err, [] { throw EnvironmentError("no disk"); }), 3);
  EXPECT_EQ(exit_code_of("p", err, [] { throw std::logic_error("odd"); }), 70);
  EXPECT_EQ(err.str(), "p: --out: is missing\np: no disk\np: a defect: odd\n");
}

}  // namespace
}  // namespace oracle
