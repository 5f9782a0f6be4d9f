#include "oracle/cluster/state_formats.h"

#include <gtest/gtest.h>
#include <string>

#include "oracle/base/error.h"

namespace oracle {
namespace state_formats_test {

StateFormats read(std::string_view name, std::string_view value) {
  StateFormats formats;
  for (const StateOption& option : all_state_options()) {
    if (option.name == name) option.read(value, formats);
  }
  return formats;
}

TEST(StateFormats, HaveTheBytesOfTheirTable) {
  EXPECT_EQ(read("gradients", "fp32").gradients, 4);
  EXPECT_EQ(read("gradients", "bf16").gradients, 2);
  EXPECT_EQ(read("reduce", "fp16").reduce, 2);
  EXPECT_EQ(read("master", "fp32").master, 4);
  EXPECT_EQ(read("master", "fp32+gradients").master, 8);
  EXPECT_EQ(read("master", "bf16").master, 2);
  EXPECT_EQ(read("master", "none").master, 0);
  EXPECT_FALSE(read("master", "none").gradients.has_value());
}

TEST(StateFormats, AMisspeltOneIsSuggested) {
  try {
    read("gradients", "pf32");
    FAIL() << "let pass";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().place, "--gradients");
    EXPECT_EQ(error.problems().front().remedy, "did you mean \"fp32\"?");
  }
}

TEST(StateFormats, JoinedKeepTheirOwn) {
  const StateFormats own{4, {}, {}}, usual{2, 2, {}};
  EXPECT_EQ(joined(own, usual), (StateFormats{4, 2, {}}));
}

}  // namespace state_formats_test
}  // namespace oracle
