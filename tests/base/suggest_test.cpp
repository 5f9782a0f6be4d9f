#include "oracle/base/suggest.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace oracle {
namespace {

TEST(Suggest, FindsTheNearestName) {
  const std::vector<std::string> names = {"resnet50", "vgg16"};
  EXPECT_EQ(nearest("resnet5", names), "resnet50");
  EXPECT_EQ(nearest("vgg61", names), "vgg16");
  EXPECT_EQ(nearest("vgg16", names), "vgg16");
}

TEST(Suggest, CountsEachKindOfSlipOnce) {
  const std::vector<std::string> names = {"abcdefghi"};
  EXPECT_EQ(nearest("abcdefgih", names), "abcdefghi");
  EXPECT_EQ(nearest("abcdefgh", names), "abcdefghi");
  EXPECT_EQ(nearest("abcdefghij", names), "abcdefghi");
  EXPECT_EQ(nearest("xbcdefghi", names), "abcdefghi");
}

TEST(Suggest, IsSilentPastAThirdOfTheWord) {
  const std::vector<std::string> names = {"abcdef"};
  EXPECT_EQ(nearest("xyzdef", names), "abcdef");
  EXPECT_EQ(nearest("wxyzef", names), "");
  EXPECT_EQ(nearest("", std::vector<std::string>{"ab"}), "");
  EXPECT_EQ(nearest(std::string(1000000, 'a'), names), "");
}

TEST(Suggest, ListsWhatIsKnownWhereNothingIsNear) {
  const std::vector<std::string> three = {"abci", "summit", "here"};
  EXPECT_EQ(suggestion("abcj", three), "did you mean \"abci\"?");
  EXPECT_EQ(suggestion("frontier", three), "known: abci, summit, here");
  const std::vector<std::string> nine = {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"};
  EXPECT_EQ(suggestion("frontier", nine), "known: a1, a2, a3, a4, a5, a6, a7, a8, …");
  EXPECT_EQ(suggestion("frontier", {}), "");
  EXPECT_EQ(suggestion("frontier", std::vector<std::string>{"a\nb"}), "known: a?b");
}

}  // namespace
}  // namespace oracle
