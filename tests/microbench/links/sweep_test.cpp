#include "microbench/links/sweep.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace links_sweep_test {

using testing::ElementsAre;
using Groups = std::vector<std::vector<int>>;

std::vector<LinkCase> cases_of(const LinkAction action, const std::vector<LinkPlace>& places) {
  std::vector<LinkCase> cases = link_cases(places);
  std::erase_if(cases, [&](const LinkCase& one) { return one.action != action; });
  return cases;
}

TEST(Sweep, WorkedNumber) {
  const std::vector<LinkPlace> places = {{"a", -1}, {"a", -1}, {"b", -1}, {"b", -1}};
  const std::vector<LinkCase> cases = cases_of(LinkAction::all_reduce, places);
  ASSERT_EQ(cases.size(), 4U);
  EXPECT_EQ(cases[0].tier, "machine");
  EXPECT_EQ(cases[0].groups, (Groups{{0, 1}}));
  EXPECT_EQ(cases[1].tier, "network");
  EXPECT_EQ(cases[1].groups, (Groups{{0, 2}}));
  EXPECT_EQ(cases[1].flows, 1);
  EXPECT_EQ(cases[2].groups, (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(cases[2].flows, 2);
  EXPECT_EQ(cases[3].groups, (Groups{{0, 1, 2, 3}}));
  EXPECT_EQ(cases[3].per_unit, 2);
  // Pairs alone exchange messages.
  EXPECT_EQ(cases_of(LinkAction::message, places).size(), 3U);
}

TEST(Sweep, GroupsThatShareNoLinkAreBusyAtTheSameTime) {
  std::vector<LinkPlace> places;
  for (const char* host : {"a", "b", "c", "d"}) places.push_back({host, -1});
  const std::vector<LinkCase> alone = cases_of(LinkAction::all_gather, places);
  ASSERT_EQ(alone.size(), 2U);
  EXPECT_EQ(alone[0].groups, (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(alone[0].flows, 1);
  EXPECT_EQ(alone[1].groups, (Groups{{0, 1, 2, 3}}));

  for (const char* host : {"a", "b", "c", "d"}) places.push_back({host, -1});
  const std::vector<LinkCase> cases = cases_of(LinkAction::message, places);
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].tier, "machine");
  EXPECT_EQ(cases[1].groups, (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(cases[1].flows, 1);
  EXPECT_EQ(cases[2].groups, (Groups{{0, 1}, {4, 5}, {2, 3}, {6, 7}}));
  EXPECT_EQ(cases[2].flows, 2);
}

TEST(Sweep, GroupsOfNeighboursOnOneHost) {
  const std::vector<LinkPlace> places(4, LinkPlace{"a", -1});
  const std::vector<LinkCase> cases = cases_of(LinkAction::all_to_all, places);
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].groups, (Groups{{0, 1}}));
  EXPECT_EQ(cases[1].groups, (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(cases[1].flows, 2);
  EXPECT_EQ(cases[2].groups, (Groups{{0, 1, 2, 3}}));
}

TEST(Sweep, HostsOfUnequalSizesHaveNoGroupOfAll) {
  const std::vector<LinkPlace> places = {{"a", -1}, {"b", -1}, {"a", -1}};
  for (const LinkCase& one : link_cases(places)) EXPECT_EQ(one.per_unit, 1);
  EXPECT_EQ(cases_of(LinkAction::stream, places)[0].groups, (Groups{{0, 2}}));
}

TEST(Sweep, OneRankHasNobody) {
  EXPECT_TRUE(link_cases(std::vector<LinkPlace>{{"a", -1}}).empty());
}

TEST(Sweep, Sizes) {
  EXPECT_THAT(sweep_sizes(300, 4), ElementsAre(4, 16, 64, 256));
  EXPECT_EQ(sweep_sizes(1'000'000'000, 2).size(), 28U);
}

}  // namespace links_sweep_test
}  // namespace oracle
