#include "validate/train/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/validate/data/images/scratch.h"
#include "tests/validate/in_process.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace input_test {

using testing::HasSubstr;

TrainRequest request_for(const std::string& data) {
  TrainRequest request;
  request.graph = plain_network();
  request.data = data;
  return request;
}

std::string image_bytes() { return png({3, 8, 8}, std::string(192, 'v')); }

TEST(RunInput, WithoutDataTheSamplesAreMade) {
  TrainRequest request;
  request.graph = plain_network();
  const RunInput input = open_input(request);
  EXPECT_EQ(input.samples(), nullptr);
  EXPECT_EQ(input.text, "generated");
}

TEST(RunInput, ImagesAreOpenedAndSuitTheNetwork) {
  const ImageScratch scratch;
  scratch.write("a/1.png", image_bytes());
  const RunInput input = open_input(request_for(scratch.path("").string()));
  EXPECT_NE(input.samples(), nullptr);
  EXPECT_EQ(input.images, 1);
  scratch.write("a/1.png", png({3, 1, 1}, "abc"));
  EXPECT_THROW(open_input(request_for(scratch.path("").string())), InputError);
}

/// Rank 1 finds another folder than rank 0 does; rank 0, which alone prints, says so.
TEST(RunInput, WhatIsWrongOnAnyRankRankZeroTells) {
  const ImageScratch scratch;
  scratch.write("0/a/1.png", image_bytes());
  std::vector<std::string> told(2);
  run_ranks(2, [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    try {
      open_input(request_for(scratch.path(std::to_string(rank)).string()), communicator);
    } catch (const EnvironmentError& error) {
      told[rank] = error.what();
    } catch (const InputError& error) {
      told[rank] = error.what();
    }
  });
  EXPECT_THAT(told[0], testing::StartsWith("rank 1 has other images than other ranks: "));
  EXPECT_THAT(told[0], HasSubstr("is not there"));
  EXPECT_THAT(told[1], HasSubstr("is not there"));
}

}  // namespace input_test
}  // namespace oracle
