#include "oracle/plan/strategy/default_options.h"

#include <gtest/gtest.h>

#include "oracle/io/data_path.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {
namespace default_options_test {

TEST(DefaultOptions, WorkedNumber) {
  EXPECT_EQ(with_default_options("data:8; overlap=off", "overlap=on; bucket=64 MiB"),
            "data:8; overlap=off; bucket=64 MiB");
}

TEST(DefaultOptions, WhatIsNamedIsKept) {
  EXPECT_EQ(with_default_options("data:8;bucket = 1 MiB", "bucket=64 MiB"),
            "data:8;bucket = 1 MiB");
  EXPECT_EQ(with_default_options("data:8", ""), "data:8");
  // A layer whose name ends like an option is none.
  EXPECT_EQ(with_default_options("my_overlap=filter:2", "overlap=off"),
            "my_overlap=filter:2; overlap=off");
}

TEST(DefaultOptions, ThoseOfEveryFrameworkAreRead) {
  for (const std::string& name : names_in("data/frameworks")) {
    const Framework framework = load_framework(name);
    EXPECT_NO_THROW(parse_strategy(with_default_options("data:2", framework.options))) << name;
  }
}

}  // namespace default_options_test
}  // namespace oracle
