#include "validate/program/ownership.h"

#include <gtest/gtest.h>

#include "tests/properties/random.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace ownership_test {

using State::channel;
using State::height;
using State::partial;
using State::replicated;
using State::sample;

Layout layout(State outer, State inner) {
  Layout made{};
  made[0] = outer;
  made[1] = inner;
  return made;
}

constexpr Whole kRows{{1, 1, 1, 7, 1}, 1};

TEST(Ownership, OutermostAxisNumbersTheLargestParts) {
  const Mesh mesh(std::vector<std::int64_t>{2, 2});
  const std::vector<Intervals> expected = {{{0, 1}}, {{1, 3}}, {{3, 5}}, {{5, 7}}};
  for (int rank = 0; rank < 4; ++rank) {
    const Region region = region_of(kRows, layout(height, height), mesh, rank);
    EXPECT_EQ(region.along[3], expected[static_cast<std::size_t>(rank)]) << rank;
  }
}

TEST(Ownership, GatheringTheOuterAxisLeavesPartsApart) {
  const Mesh mesh(std::vector<std::int64_t>{2, 2});
  LayoutChange change(kRows, layout(height, height), layout(replicated, height), mesh);
  change.settle({Collective::all_gather, 0b01, 7});
  EXPECT_EQ(change.held(0).along[3], (Intervals{{0, 1}, {3, 5}}));
  EXPECT_EQ(change.held(3).along[3], (Intervals{{1, 3}, {5, 7}}));
  change.settle({Collective::send_receive, 0b10, 2});
  EXPECT_EQ(change.held(0).along[3], (Intervals{{0, 3}}));
  EXPECT_EQ(change.held(3).along[3], (Intervals{{3, 7}}));
}

/// 8 positions of a text, dealt to 2 ranks and cut further by 2 others.
TEST(Ownership, DealtPartsLieAtBothEnds) {
  const Whole text{{1, 1, 1, 1, 8}, 1, 2};
  const Mesh mesh(std::vector<std::int64_t>{2, 2});
  const auto held = [&](State outer, State inner, int rank) {
    return region_of(text, layout(outer, inner), mesh, rank).along[kWidthAxis];
  };
  EXPECT_EQ(held(State::sequence, replicated, 1), (Intervals{{0, 2}, {6, 8}}));
  EXPECT_EQ(held(State::sequence, replicated, 2), (Intervals{{2, 6}}));
  EXPECT_EQ(held(State::sequence, State::sequence, 0), (Intervals{{0, 2}}));
  EXPECT_EQ(held(State::sequence, State::sequence, 1), (Intervals{{6, 8}}));
  EXPECT_EQ(held(replicated, replicated, 3), (Intervals{{0, 8}}));
}

TEST(Ownership, CutsFlattenedFeaturesByWholeChannels) {
  const Whole flat{{1, 12, 1, 1, 1}, 4};
  const Mesh mesh(std::vector<std::int64_t>{2});
  EXPECT_EQ(region_of(flat, layout(channel, replicated), mesh, 0).along[1], (Intervals{{0, 4}}));
  EXPECT_EQ(region_of(flat, layout(channel, replicated), mesh, 1).along[1], (Intervals{{4, 12}}));
}

/// The state of an axis drawn among those of a tensor of samples, channels and heights.
State drawn(Random& random) {
  constexpr std::array kStates = {replicated, sample, channel, height};
  return kStates[static_cast<std::size_t>(random.whole(0, 3))];
}

TEST(Ownership, EveryElementHasOneOwnerAmongRanksThatCut) {
  Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const Mesh mesh(std::vector<std::int64_t>{random.whole(1, 3), random.whole(1, 3)});
    const Whole whole{{random.whole(1, 7), random.whole(1, 7), 1, random.whole(1, 7), 1}, 1};
    const Layout made = layout(drawn(random), drawn(random));
    std::int64_t copies = 1;
    for (std::size_t a = 0; a < 2; ++a) copies *= made[a] == replicated ? mesh.degree(a) : 1;
    std::int64_t held = 0;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
      held += region_of(whole, made, mesh, rank).elements();
      for (int other = 0; other < rank; ++other) {
        const Region own = region_of(whole, made, mesh, rank);
        const Region its = region_of(whole, made, mesh, other);
        if (own == its) continue;
        EXPECT_EQ(intersection(own, its).elements(), 0);
      }
    }
    EXPECT_EQ(held, copies * whole.extents.elements());
  }
}

TEST(Ownership, AChangeEndsAtItsTarget) {
  Random random(12);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<std::int64_t> degrees = {random.whole(1, 3), random.whole(1, 3),
                                               random.whole(1, 2)};
    const Mesh mesh(degrees);
    Shape shape;
    shape[Axis::channel] = random.whole(6, 12);
    shape[Axis::height] = random.whole(6, 12);
    const Whole whole{{7, shape.channels(), 1, shape[Axis::height], 1}, 1};
    Layout from{}, to{};
    for (std::size_t a = 0; a < degrees.size(); ++a) {
      from[a] = random.whole(0, 4) == 0 ? partial : drawn(random);
      to[a] = drawn(random);
    }
    LayoutChange change(whole, from, to, mesh);
    change.take_parts();
    for (const Conversion& step : convert(from, to, shape, 7, degrees)) change.settle(step);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
      EXPECT_EQ(change.held(rank), region_of(whole, to, mesh, rank)) << trial;
    }
  }
}

/// What dealt parts hold and send on the way is as much as the plan's parts in a row.
TEST(Ownership, DealtPartsAreAsLargeAsPartsInARow) {
  Random random(13);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<std::int64_t> degrees = {random.whole(1, 3), random.whole(1, 3),
                                               random.whole(1, 2)};
    const Mesh mesh(degrees);
    Shape shape;
    shape[Axis::channel] = random.whole(6, 12);
    shape[Axis::sequence] = random.whole(6, 20);
    const Whole row{{7, shape.channels(), 1, 1, shape[Axis::sequence]}, 1};
    Whole dealt = row;
    dealt.dealt = random.whole(2, 6);
    Layout from{}, to{};
    constexpr std::array kStates = {replicated, sample, channel, State::sequence};
    for (std::size_t a = 0; a < degrees.size(); ++a) {
      from[a] =
          random.whole(0, 4) == 0 ? partial : kStates[static_cast<std::size_t>(random.whole(0, 3))];
      to[a] = kStates[static_cast<std::size_t>(random.whole(0, 3))];
    }
    LayoutChange in_a_row(row, from, to, mesh), change(dealt, from, to, mesh);
    const auto expect_alike = [&] {
      for (int rank = 0; rank < mesh.ranks(); ++rank) {
        EXPECT_EQ(change.held(rank).elements(), in_a_row.held(rank).elements()) << trial;
      }
    };
    change.take_parts();
    in_a_row.take_parts();
    for (const Conversion& step : convert(from, to, shape, 7, degrees)) {
      change.settle(step);
      in_a_row.settle(step);
      expect_alike();
    }
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
      EXPECT_EQ(change.held(rank), region_of(dealt, to, mesh, rank)) << trial;
    }
  }
}

}  // namespace ownership_test
}  // namespace oracle
