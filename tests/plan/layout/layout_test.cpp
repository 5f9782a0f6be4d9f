#include "oracle/plan/layout/layout.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/graph/one_layer.h"

namespace oracle {
namespace plan_layout_test {

using enum State;
using enum Collective;

const std::vector<std::int64_t> kFour = {4};

std::vector<Conversion> steps(const Layout& from, const Layout& to, const Shape& shape,
                              std::int64_t samples, const std::vector<std::int64_t>& degrees) {
  const ConversionList list = convert(from, to, shape, samples, degrees);
  return {list.begin(), list.end()};
}

std::vector<Conversion> over_one(State from, State to, std::int64_t channels = 1024,
                                 std::int64_t samples = 32) {
  return steps({from}, {to}, shape_of(channels), samples, kFour);
}

std::vector<Conversion> one(Collective collective, AxisSet axes, std::int64_t elements) {
  return {{collective, axes, elements}};
}

TEST(Convert, TurnsEachPairOfStatesIntoItsCollective) {
  EXPECT_EQ(over_one(partial, replicated), one(all_reduce, 1, 32768));
  EXPECT_EQ(over_one(partial, channel), one(reduce_scatter, 1, 32768));
  EXPECT_EQ(over_one(partial, sample), one(reduce_scatter, 1, 32768));
  EXPECT_EQ(over_one(channel, replicated), one(all_gather, 1, 32768));
  EXPECT_EQ(over_one(sample, replicated), one(all_gather, 1, 32768));
  EXPECT_EQ(over_one(sample, channel), one(all_to_all, 1, 8192));
  EXPECT_EQ(over_one(channel, sample), one(all_to_all, 1, 8192));
}

TEST(Convert, TakingAPartOfAWholeSendsNothing) {
  EXPECT_TRUE(over_one(replicated, channel).empty());
  EXPECT_TRUE(over_one(replicated, sample).empty());
}

TEST(Convert, KeepingALayoutSendsNothing) {
  for (const State state : {replicated, sample, channel, height, partial}) {
    EXPECT_TRUE(over_one(state, state).empty()) << name_of(state);
  }
}

TEST(Convert, GivesPartsTheirOrderBack) {
  // Scattering the outer axis leaves ranks 1 and 2 with each other's quarter of the features.
  EXPECT_EQ(steps({partial, channel}, {channel, channel}, shape_of(1024), 32, {2, 2}),
            (std::vector<Conversion>{{reduce_scatter, 1, 16384}, {send_receive, 3, 8192}}));
  // An inner axis only divides what its outer one holds.
  EXPECT_EQ(steps({channel, partial}, {channel, channel}, shape_of(1024), 32, {2, 2}),
            one(reduce_scatter, 2, 16384));
}

TEST(Convert, UnevenPartsArePaddedToTheLargest) {
  // 10 features over 4 ranks: 3 at most, for each of 4 members; a sum is as large as it is.
  EXPECT_EQ(over_one(channel, sample, 10, 8), one(all_to_all, 1, 4 * 2 * 3));
  EXPECT_EQ(over_one(channel, replicated, 10, 8), one(all_gather, 1, 4 * 3 * 8));
  EXPECT_EQ(over_one(partial, channel, 10, 8), one(reduce_scatter, 1, 4 * 3 * 8));
  EXPECT_EQ(over_one(partial, replicated, 10, 8), one(all_reduce, 1, 80));
}

TEST(Convert, CutsGrainsWhole) {
  // 12 features that came of 3 channels, over 2 ranks: 1 and 2 channels.
  const Layout from = {channel}, to = {};
  const std::vector<std::int64_t> two = {2};
  const ConversionList list = convert(from, to, shape_of(12), 5, two, 4);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0], (Conversion{all_gather, 1, 2 * 8 * 5}));
  EXPECT_EQ(local_elements(shape_of(12), 5, from, two, 4), 8 * 5);
}

TEST(Convert, CountsWhatMessagesMove) {
  // Rows 0 | 1, 2 | 3, 4 | 5, 6 of 7 over 2×2; gathered over the outer axis, ranks 0 and 2 hold
  // rows 0, 3 and 4, where rows 0 to 2 are theirs: each sends 2 rows of 9.
  EXPECT_EQ(steps({height, height}, {replicated, height}, shape_of(1, {7, 9}), 1, {2, 2}),
            (std::vector<Conversion>{{all_gather, 1, 2 * 2 * 9}, {send_receive, 2, 2 * 9}}));
}

TEST(Convert, AnAxisOfOneRankRenumbersNothing) {
  EXPECT_EQ(steps({partial, channel}, {channel, channel}, shape_of(1024), 32, {1, 4}),
            one(reduce_scatter, 1, 8192));
}

TEST(Convert, JoinsAxesThatTakeTheSameStep) {
  const std::vector<std::int64_t> degrees = {2, 3};
  EXPECT_EQ(steps({partial, partial}, {}, shape_of(60), 4, degrees), one(all_reduce, 3, 240));
  EXPECT_EQ(steps({channel, channel}, {}, shape_of(60), 4, degrees), one(all_gather, 3, 240));
  EXPECT_EQ(steps({partial, partial}, {channel, channel}, shape_of(60), 4, degrees),
            one(reduce_scatter, 3, 240));
}

/// Rows of 8 samples of 72, for whose tokens it does not matter what numbers them.
TEST(Convert, SendsRowsToExpertsAtOnceAndBack) {
  const std::vector<std::int64_t> degrees = {2, 3};
  Shape rows = shape_of(1);
  rows[Axis::sequence] = 72;
  const Layout by_token = {sample, sequence}, by_expert = {expert, expert};
  EXPECT_EQ(steps(by_token, by_expert, rows, 8, degrees), one(all_to_all, 3, 4 * 24));
  EXPECT_EQ(steps(by_expert, by_token, rows, 8, degrees), one(all_to_all, 3, 4 * 24));
  rows[Axis::sequence] = 60;
  // Each of 3 ranks gives the others a third of 20 rows of each sample.
  EXPECT_EQ(steps({sample, sequence}, {sample, expert}, rows, 8, degrees),
            one(all_to_all, 2, 4 * 3 * 7));
}

TEST(Convert, GathersFeaturesOfTheRowsOfSomeExperts) {
  Shape rows = shape_of(6);
  rows[Axis::sequence] = 60;
  EXPECT_EQ(steps({expert, channel}, {expert, replicated}, rows, 8, {2, 3}),
            one(all_gather, 2, 3 * 8 * 30 * 2));
}

TEST(Convert, ScattersBeforeItGathers) {
  // 12×10 elements, axis 0 (2 ranks) by sample, axis 1 (5 ranks) a sum to be cut by channel: the
  // sum is scattered while the samples are still apart.
  const std::vector<std::int64_t> degrees = {2, 5};
  const auto found = steps({sample, partial}, {replicated, channel}, shape_of(10), 12, degrees);
  EXPECT_EQ(found, (std::vector<Conversion>{{reduce_scatter, 2, 60}, {all_gather, 1, 24}}));
}

TEST(Convert, TakesPartsBeforeItMovesAnything) {
  // Axis 0 becomes a cut of channels for nothing, which halves what axis 1 gathers.
  const std::vector<std::int64_t> degrees = {2, 5};
  EXPECT_EQ(steps({replicated, sample}, {channel, replicated}, shape_of(10), 20, degrees),
            one(all_gather, 2, 100));
}

TEST(Convert, SumsBeforeItGathers) {
  const std::vector<std::int64_t> degrees = {2, 5};
  EXPECT_EQ(steps({partial, sample}, {}, shape_of(10), 20, degrees),
            (std::vector<Conversion>{{all_reduce, 1, 40}, {all_gather, 2, 200}}));
}

TEST(LocalElements, RoundEachCutAxisUp) {
  const Shape shape = shape_of(10, {7, 9});
  const std::vector<std::int64_t> degrees = {2, 4, 3};
  EXPECT_EQ(local_elements(shape, 5, {}, degrees), 5 * 630);
  EXPECT_EQ(local_elements(shape, 5, {sample, height, replicated}, degrees), 3 * 10 * 2 * 9);
  EXPECT_EQ(local_elements(shape, 5, {partial, width, channel}, degrees), 5 * 4 * 7 * 3);
  Shape rows = shape_of(1);
  rows[Axis::sequence] = 60;
  EXPECT_EQ(local_elements(rows, 5, {sequence, replicated, expert}, degrees), 5 * 10);
  // Two axes of one cut split it 8 ways: 10 features in parts of 2.
  EXPECT_EQ(local_elements(shape, 5, {channel, channel, replicated}, degrees), 5 * 2 * 63);
}

TEST(State, NamesTheAxisItCuts) {
  EXPECT_EQ(axis_of(sample), Axis::sample);
  EXPECT_EQ(axis_of(channel), Axis::channel);
  EXPECT_EQ(axis_of(expert), Axis::sequence);
  EXPECT_EQ(axis_of(depth), Axis::depth);
  EXPECT_EQ(axis_of(height), Axis::height);
  EXPECT_EQ(axis_of(width), Axis::width);
  EXPECT_THROW(axis_of(partial), Defect);
  EXPECT_EQ(name_of(partial), "partial");
  EXPECT_EQ(name_of(halo_exchange), "halo_exchange");
}

}  // namespace plan_layout_test
}  // namespace oracle
