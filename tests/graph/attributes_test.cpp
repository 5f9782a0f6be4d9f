#include "oracle/graph/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace attributes_test {

using testing::ElementsAre;
using testing::HasSubstr;
using List = std::vector<std::int64_t>;

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

const Attributes kSome{{"features", std::int64_t{64}},
                       {"kernel", List{1, 7}},
                       {"bias", false},
                       {"mode", std::string("average")}};

TEST(Attributes, GivesWhatWasWritten) {
  EXPECT_EQ(kSome.integer("features", 1), 64);
  EXPECT_EQ(kSome.integer("groups", 1, 3), 3);
  EXPECT_FALSE(kSome.flag("bias", true));
  EXPECT_TRUE(kSome.flag("ceil", true));
  EXPECT_EQ(kSome.choice("mode", {"max", "average"}), 1U);
  EXPECT_EQ(kSome.choice("function", {"relu", "tanh"}), 0U);
}

TEST(Attributes, RepeatsANumberPerAxisAndTakesAListAsItIs) {
  EXPECT_THAT(kSome.extents("features", 3, 1, 1), ElementsAre(64, 64, 64));
  EXPECT_THAT(kSome.extents("kernel", 2, 1, 1), ElementsAre(1, 7));
  EXPECT_THAT(kSome.extents("stride", 2, 1, 5), ElementsAre(5, 5));
}

TEST(Attributes, RefusesWrongTypesAndRanges) {
  EXPECT_THAT(message_of([] { kSome.integer("width", 1); }), HasSubstr("\"width\" is missing"));
  EXPECT_THAT(message_of([] { kSome.integer("bias", 1); }),
              HasSubstr("\"bias\" is false and must be an integer"));
  EXPECT_THAT(message_of([] { kSome.integer("features", 65); }), HasSubstr("from 65"));
  EXPECT_THAT(message_of([] { kSome.flag("features", true); }), HasSubstr("true or false"));
  EXPECT_THAT(message_of([] { kSome.extents("kernel", 3, 1, 1); }),
              HasSubstr("2 entries and the network has 3 spatial axes"));
  EXPECT_THAT(message_of([] { kSome.extents("kernel", 2, 2, 1); }), HasSubstr("\"kernel\" is 1"));
  const Attributes huge{{"features", std::int64_t{1} << 31}};
  EXPECT_THAT(message_of([&] { huge.integer("features", 1); }), HasSubstr("2147483647"));
}

TEST(Attributes, SuggestsTheWordThatWasMeant) {
  EXPECT_THAT(message_of([] {
                kSome.choice("mode", {"max", "averages"});
              }),
              HasSubstr("did you mean \"averages\"?"));
}

TEST(Attributes, MessagesStayOnOneLine) {
  const Attributes torn{{"mode", std::string("a\nb")}};
  EXPECT_THAT(message_of([&] { torn.choice("mode", {"max", "average"}); }), HasSubstr("\"a?b\""));
}

}  // namespace attributes_test
}  // namespace oracle
