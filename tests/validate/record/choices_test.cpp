#include "validate/record/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace oracle {
namespace choices_test {

Choice choice(int algorithm, double seconds) {
  return {"conv", Pass::backward_weights, "convolve", "1 to 2", algorithm, 4096, seconds, true};
}

TEST(Choices, OfRanksThatChoseTheSameAreOne) {
  std::vector<ChosenAlgorithm> chosen;
  add_choices(0, 0, std::vector{choice(1, 0.25)}, chosen);
  add_choices(0, 1, std::vector{choice(1, 0.5)}, chosen);
  add_choices(0, 2, std::vector{choice(2, 0.125)}, chosen);
  add_choices(1, 3, std::vector{choice(1, 0.125)}, chosen);
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_THAT(chosen[0].ranks, testing::ElementsAre(0, 1));
  EXPECT_EQ(chosen[0].choice.seconds, 0.5);
  EXPECT_THAT(chosen[1].ranks, testing::ElementsAre(2));
  EXPECT_EQ(chosen[2].stage, 1U);
  EXPECT_EQ(largest_workspace(chosen), 4096);
}

TEST(Choices, AreKeptWithWhatTheyCost) {
  const std::vector<ChosenAlgorithm> chosen = {{2, {4, 5}, choice(1, 0.25)}};
  const nlohmann::ordered_json json = chosen_json(chosen);
  EXPECT_EQ(json.dump(),
            R"([{"stage":2,"ranks":[4,5],"layer":"conv","pass":"backward_weights",)"
            R"("operation":"convolve","shapes":"1 to 2","algorithm":1,"workspace_bytes":4096,)"
            R"("deterministic":true,"seconds":0.25}])");
}

TEST(Choices, ThatWereEstimatedHaveNoTime) {
  Choice estimated = choice(1, 0);
  estimated.seconds.reset();
  EXPECT_FALSE(choice_json(estimated).contains("seconds"));
  EXPECT_EQ(choice_of(nlohmann::json::parse(choice_json(estimated).dump())), estimated);
}

}  // namespace choices_test
}  // namespace oracle
