#include "validate/data/images/random_access.h"

#include <array>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/validate/data/images/scratch.h"

namespace oracle {
namespace random_access_test {

TEST(RandomAccess, AFileAndMemoryAnswerAlike) {
  const ImageScratch scratch;
  const auto file = open_file(scratch.write("some", "0123456789"));
  const auto memory = in_memory("some", "0123456789");
  for (const RandomAccess* bytes : {file.get(), memory.get()}) {
    EXPECT_EQ(bytes->size(), 10U);
    std::array<std::uint8_t, 3> read{};
    bytes->read(6, read);
    EXPECT_EQ(read, (std::array<std::uint8_t, 3>{'6', '7', '8'}));
    EXPECT_THROW(bytes->read(8, read), EnvironmentError);
    EXPECT_THROW(bytes->read(11, read), EnvironmentError);
  }
}

TEST(RandomAccess, WhatIsNoFileIsRefused) {
  const ImageScratch scratch;
  EXPECT_THROW(open_file(scratch.path("absent")), EnvironmentError);
  EXPECT_THROW(open_file(std::filesystem::temp_directory_path()), EnvironmentError);
}

}  // namespace random_access_test
}  // namespace oracle
