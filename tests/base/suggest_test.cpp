#include "oracle/base/suggest.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {
namespace suggest_test {

/// Slips between two words as the definition counts them, from their ends.
std::size_t slips(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string_view shorter_a = a.substr(0, a.size() - 1);
  const std::string_view shorter_b = b.substr(0, b.size() - 1);
  std::size_t least = std::min({slips(shorter_a, b) + 1, slips(a, shorter_b) + 1,
                                slips(shorter_a, shorter_b) + (a.back() == b.back() ? 0 : 1)});
  const bool swapped =
      a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && b.back() == a[a.size() - 2];
  if (swapped) {
    least = std::min(least, slips(a.substr(0, a.size() - 2), b.substr(0, b.size() - 2)) + 1);
  }
  return least;
}

std::string random_word(std::mt19937& generator) {
  std::string word(1 + generator() % 6, 'a');
  for (char& letter : word) letter = static_cast<char>('a' + generator() % 3);
  return word;
}

TEST(Suggest, NamesAWordExactlyWhereAThirdOfItsLettersIsWrong) {
  std::mt19937 generator(7);
  int near = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string word = random_word(generator);
    const std::string known = random_word(generator);
    const bool expected = slips(word, known) <= word.size() / 3 + 1;
    near += expected ? 1 : 0;
    EXPECT_EQ(nearest(word, std::vector{known}), expected ? known : "") << word << ' ' << known;
  }
  EXPECT_GT(near, 200);
  EXPECT_LT(near, 800);
}

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

TEST(Suggest, NamesTheCommandThatListsThem) {
  const std::vector<std::string> known = {"abci", "summit"};
  EXPECT_EQ(suggestion("abc", known, "oracle list clusters"),
            "did you mean \"abci\"? See: oracle list clusters");
  EXPECT_EQ(suggestion("fugaku", known, "oracle list clusters"),
            "known: abci, summit; see: oracle list clusters");
  EXPECT_EQ(suggestion("fugaku", {}, "oracle list clusters"), "see: oracle list clusters");
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

}  // namespace suggest_test
}  // namespace oracle
