#include "microbench/links/session.h"

#include <gtest/gtest.h>

namespace oracle {
namespace links_session_test {

LinkTimes times_of(std::int64_t bytes, std::initializer_list<double> seconds) {
  LinkTimes times;
  times.bytes = bytes;
  for (const double value : seconds) times.series.add(value);
  return times;
}

std::vector<std::int64_t> sizes(const std::vector<LinkTimes>& all) {
  std::vector<std::int64_t> bytes;
  for (const LinkTimes& times : all) bytes.push_back(times.bytes);
  return bytes;
}

/// The disturbed round is a third of the values, and the median none of them.
TEST(LinkSession, ValuesAreThoseOfAllRounds) {
  std::vector<LinkTimes> all;
  add_round({times_of(4, {1e-6, 1.2e-6})}, all);
  add_round({times_of(4, {5e-6, 5e-6})}, all);
  add_round({times_of(4, {1.1e-6, 1e-6})}, all);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].series.values().size(), 6U);
  EXPECT_NEAR(all[0].series.median(), 1.15e-6, 1e-12);
}

TEST(LinkSession, ARoundMayHaveNoTimeForASizeThatOthersHave) {
  std::vector<LinkTimes> all;
  add_round({times_of(4, {1}), times_of(16, {2})}, all);
  add_round({times_of(4, {1})}, all);
  EXPECT_EQ(sizes(all), (std::vector<std::int64_t>{4, 16}));
  EXPECT_EQ(all[0].series.values().size(), 2U);
  EXPECT_EQ(all[1].series.values().size(), 1U);
  add_round({times_of(8, {3}), times_of(64, {4})}, all);
  EXPECT_EQ(sizes(all), (std::vector<std::int64_t>{4, 8, 16, 64}));
}

}  // namespace links_session_test
}  // namespace oracle
