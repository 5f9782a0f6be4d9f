#include "oracle/calibrate/link_fit.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "oracle/base/error.h"
#include "oracle/cost/collectives/ring.h"
#include "oracle/cost/fitted_links.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/measurements/measurements.h"

namespace oracle {
namespace link_fit_test {

LinkSample sample(LinkOperation operation, std::int64_t ranks, double bytes, double seconds,
                  std::int64_t flows = 1) {
  LinkSample one;
  one.level = "machine";
  one.operation = operation;
  one.ranks = ranks;
  one.flows = flows;
  one.bytes = Bytes{bytes};
  one.median = one.low = one.high = Seconds{seconds};
  return one;
}

/// Messages of a link with this latency and bandwidth.
std::vector<LinkSample> messages(double latency, double bandwidth) {
  std::vector<LinkSample> all;
  for (double bytes = 4; bytes < 2e9; bytes *= 4) {
    all.push_back(sample(LinkOperation::message, 2, bytes, latency + bytes / bandwidth));
  }
  return all;
}

const LinkFit& fit_of(const LinkFits& fits, const std::string& operation) {
  for (const LinkFit& fit : fits.fits) {
    if (fit.operation == operation) return fit;
  }
  throw std::runtime_error("no fit of " + operation);
}

TEST(LinkFit, TwoSizesThatNoLineMeetsAreABadFit) {
  const LinkFit fit =
      fit_links(std::vector<LinkSample>{sample(LinkOperation::all_reduce, 4, 100'000, 851.32e-6),
                                        sample(LinkOperation::all_reduce, 4, 200'000, 3113.09e-6)})
          .fits.at(0);
  EXPECT_TRUE(fit.tabulated);
  EXPECT_LT(fit.pieces.back().bandwidth.value, 1e9);
}

TEST(LinkFit, FindsLatencyAndBandwidth) {
  const LinkFits fits = fit_links(messages(2e-6, 10e9));
  ASSERT_EQ(fits.fits.size(), 1U);
  const LinkFit& fit = fits.fits[0];
  EXPECT_EQ(fit.level, "machine");
  EXPECT_EQ(fit.operation, "");
  ASSERT_EQ(fit.pieces.size(), 1U);
  EXPECT_EQ(fit.pieces[0].from.value, 0);
  EXPECT_NEAR(fit.pieces[0].latency.value, 2e-6, 1e-12);
  EXPECT_NEAR(fit.pieces[0].bandwidth.value, 10e9, 1e3);
  EXPECT_LT(fit.leave_one_out, 1e-6);
  EXPECT_FALSE(fit.tabulated);
  EXPECT_EQ(fit.least.value, 4);
  EXPECT_EQ(fit.most.value, 1073741824);
  EXPECT_EQ(fit.table.size(), 15U);
}

TEST(LinkFit, AFewTenfoldOutliersDoNotMoveIt) {
  std::vector<LinkSample> samples = messages(2e-6, 10e9);
  for (const std::size_t slow : {2U, 6U, 14U}) samples[slow].median = samples[slow].median * 10;
  const LinkFit fit = fit_links(samples).fits.at(0);
  ASSERT_EQ(fit.pieces.size(), 1U);
  EXPECT_NEAR(fit.pieces[0].latency.value, 2e-6, 0.02e-6);
  EXPECT_NEAR(fit.pieces[0].bandwidth.value, 10e9, 0.1e9);
  EXPECT_FALSE(fit.tabulated);
  // They are not forgotten: nine in ten samples lie inside.
  EXPECT_GT(fit.pieces[0].uncertainty, 0.5);
}

TEST(LinkFit, ACollectiveGivesBackWhatWasMeasured) {
  // The ring's own formula, on two numbers of ranks, must come back as one α and B.
  std::vector<LinkSample> samples;
  for (const std::int64_t ranks : {2, 4}) {
    Group group;
    group.size = ranks;
    group.levels = 1;
    group.level[0] = {ranks, 1, Bandwidth{3e9}, Bandwidth{3e9}, Bandwidth{3e9}, Seconds{7e-6}};
    for (double bytes = 64; bytes < 1e9; bytes *= 4) {
      samples.push_back(sample(LinkOperation::all_reduce, ranks, bytes,
                               ring_all_reduce(Bytes{bytes}, group).value));
    }
  }
  const LinkFit fit = fit_of(fit_links(samples), "all_reduce");
  EXPECT_EQ(fit.algorithm, "ring");
  ASSERT_EQ(fit.pieces.size(), 1U);
  EXPECT_NEAR(fit.pieces[0].latency.value, 7e-6, 1e-12);
  EXPECT_NEAR(fit.pieces[0].bandwidth.value, 3e9, 1e3);
}

/// Rings of four whose messages take twice as long as those of rings of two, and one of eight.
TEST(LinkFit, EachNumberOfRanksHasAFitOfItsOwn) {
  std::vector<LinkSample> samples = {sample(LinkOperation::all_reduce, 8, 4096, 1e-3)};
  for (const std::int64_t ranks : {2, 4}) {
    for (double message = 64; message < 1e8; message *= 4) {
      const auto n = static_cast<double>(ranks);
      const double rounds = 2 * (n - 1);
      samples.push_back(
          sample(LinkOperation::all_reduce, ranks, n * message, rounds * n * message / 2e9));
    }
  }
  const LinkFits fits = fit_links(samples);
  ASSERT_EQ(fits.fits.size(), 3U) << "of any number, of 2, of 4; one size of 8 is no fit";
  EXPECT_EQ(fits.fits[0].ranks, 0);
  EXPECT_EQ(fits.fits[1].ranks, 2);
  EXPECT_NEAR(fits.fits[1].pieces.back().bandwidth.value, 1e9, 1);
  EXPECT_EQ(fits.fits[2].ranks, 4);
  EXPECT_NEAR(fits.fits[2].pieces.back().bandwidth.value, 0.5e9, 1);
  EXPECT_FALSE(fits.fits[2].tabulated);
}

TEST(LinkFit, WorkedNumber) {
  std::vector<LinkSample> samples = messages(0, 10e9);
  samples.push_back(sample(LinkOperation::message, 2, 1e6, 100e-6 * 1.25, 2));
  samples.back().bytes = Bytes{1e9};
  samples.back().median = Seconds{125e-3};
  const LinkFit fit = fit_links(samples).fits.at(0);
  EXPECT_NEAR(fit.together, 1.6, 1e-6);
}

TEST(LinkFit, FlowsGetNoMoreThanTheirNumberAndNoLessThanOne) {
  std::vector<LinkSample> samples = messages(1e-6, 10e9);
  samples.push_back(sample(LinkOperation::message, 2, 1e9, 10e-3, 2));
  EXPECT_DOUBLE_EQ(fit_links(samples).fits.at(0).together, 2);
  samples.back().median = Seconds{1};
  EXPECT_DOUBLE_EQ(fit_links(samples).fits.at(0).together, 1);
}

TEST(LinkFit, ABadFitSaysSoAndKeepsTheTable) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> factor(0.1, 10);
  std::vector<LinkSample> samples = messages(2e-6, 10e9);
  for (LinkSample& one : samples) one.median = one.median * factor(random);
  const LinkFit fit = fit_links(samples).fits.at(0);
  EXPECT_TRUE(fit.tabulated);
  EXPECT_GT(fit.leave_one_out, 0.15);
  EXPECT_EQ(fit.table.size(), samples.size());
  EXPECT_EQ(fit.pieces.size(), samples.size());
  for (const LinkPiece& piece : fit.pieces) {
    EXPECT_GE(piece.latency.value, 0);
    EXPECT_GT(piece.bandwidth.value, 0);
    EXPECT_GE(piece.uncertainty, fit.leave_one_out);
  }
}

/// Two hosts on a shaped link of 25 MB/s, which lets a burst pass at once: one line through the
/// short messages foretells each of the others, and misses the two longest by half.
TEST(LinkFit, TwoNeighboursOffToOneSideMakeABadFit) {
  std::vector<LinkSample> samples;
  double bytes = 4;
  for (const double microseconds :
       {14.84, 15.85, 15.89, 16.29, 21.80, 87.05, 325.0, 1501.8, 9941.7, 42791.7}) {
    samples.push_back(sample(LinkOperation::message, 2, bytes, microseconds * 1e-6));
    bytes *= 4;
  }
  const LinkFit fit = fit_links(samples).fits.at(0);
  EXPECT_TRUE(fit.tabulated);
  EXPECT_LT(fit.leave_one_out, 0.15);
  const LinkPiece& last = fit.pieces.back();
  EXPECT_NEAR((last.latency + Bytes{1048576} / last.bandwidth).value, 42791.7e-6, 1e-9);
}

TEST(LinkFit, WhatCannotBeFittedIsCounted) {
  std::vector<LinkSample> samples(4, sample(LinkOperation::message, 2, 8, 1e-6));
  samples[0].level.clear();
  samples[1].ranks = 1;
  samples[2].median = Seconds{1e9};
  samples[3].flows = 2;
  const LinkFits fits = fit_links(samples);
  EXPECT_TRUE(fits.fits.empty());
  EXPECT_EQ(fits.left_out.size(), 4U);
  EXPECT_TRUE(fit_links({}).fits.empty());
}

/// 16 ranks, 8 in a node: bus bandwidth of 12 GB/s.
TEST(LinkFit, AllToAllsAcrossLevelsAreFittedByTheirShape) {
  const std::vector<LinkSample> old =
      load_measurements(ORACLE_SOURCE_DIR "/tests/data/measurements/nccl_old_alltoall_no_redop.txt")
          .links;
  std::vector<LinkSample> samples = old;
  for (LinkSample sample : old) {
    sample.ranks = 32;
    sample.median = 3 * sample.median;
    samples.push_back(sample);
  }
  const LinkFits fits = fit_links(samples);
  ASSERT_EQ(fits.fits.size(), 2U);
  for (std::size_t f = 0; f < 2; ++f) {
    EXPECT_EQ(fits.fits[f].operation, "all_to_all");
    EXPECT_EQ(fits.fits[f].ranks, f == 0 ? 16 : 32);
    EXPECT_EQ(fits.fits[f].per_unit, 8);
  }
  EXPECT_NEAR(fits.fits[0].pieces.back().bandwidth.value, 12e9, 0.02e9);
}

TEST(LinkFit, PublishedV100AllReduce) {
  // nccl-tests on 8 V100: the fit foretells each of the published times.
  std::vector<LinkSample> samples =
      load_measurements(ORACLE_SOURCE_DIR "/tests/data/measurements/nccl_all_reduce_12_columns.txt")
          .links;
  const LinkFit fit = fit_links(samples).fits.at(0);
  EXPECT_EQ(fit.operation, "all_reduce");
  EXPECT_FALSE(fit.tabulated);
  EXPECT_LT(fit.residual, 0.05);
  // 134 MB in 1819 us on 8 ranks: each sends 235 MB, 129 GB/s.
  EXPECT_NEAR(fit.pieces.back().bandwidth.value, 129e9, 20e9);
}

TEST(OnLevels, TiersBecomeTheClustersLevels) {
  const Cluster abci = load_cluster("abci");
  std::vector<LinkSample> samples(3, sample(LinkOperation::message, 2, 8, 1e-6));
  samples[1].level = kNetworkTier;
  samples[2].level = "rack";
  samples = on_levels_of(abci, samples);
  EXPECT_EQ(samples[0].level, abci.levels[0].name);
  EXPECT_EQ(samples[1].level, abci.levels[1].name);
  EXPECT_EQ(samples[2].level, "rack");
  samples[1].level = kNetworkTier;
  samples[1].ranks = 100;
  EXPECT_EQ(on_levels_of(abci, samples)[1].level, abci.levels[2].name);
  samples[1].level = kNetworkTier;
  samples[1].ranks = 1'000'000;
  EXPECT_THROW(on_levels_of(abci, samples), InputError);
}

TEST(OnLevels, WhatTheClusterDoesNotHaveIsRefused) {
  const Cluster abci = load_cluster("abci");
  std::vector<LinkSample> samples(1, sample(LinkOperation::all_reduce, 4, 8, 1e-6));
  samples[0].level = abci.levels[0].name;
  EXPECT_NO_THROW(on_levels_of(abci, samples));
  samples[0].ranks = 8;  // a node holds 4
  EXPECT_THROW(on_levels_of(abci, samples), InputError);
  samples[0].ranks = 4;
  samples[0].level = "fabrik";
  EXPECT_THROW(on_levels_of(abci, samples), InputError);
}

Interference beside(double compute, double compute_beside, double transfer,
                    double transfer_beside) {
  return {"machine",
          LinkOperation::all_reduce,
          Bytes{1e6},
          Seconds{compute},
          Seconds{compute_beside},
          Seconds{transfer},
          Seconds{transfer_beside}};
}

TEST(FitOverlap, WhatWasDoneWhileBothRan) {
  const Overlap core = fit_overlap(std::vector{beside(4e-3, 5e-3, 2e-3, 6e-3)});
  EXPECT_NEAR(core.computing, 0.25, 1e-12);
  EXPECT_NEAR(core.exchange, 4, 1e-12);
  // The transfer ends first, after 3 ms; of 4 ms of computing 2 were left.
  const Overlap other = fit_overlap(std::vector{beside(4e-3, 5e-3, 2e-3, 3e-3)});
  EXPECT_NEAR(other.computing, 0.5, 1e-12);
  EXPECT_NEAR(other.exchange, 0.5, 1e-12);
}

TEST(FitOverlap, OfComputingThatEndsWithTheTransfer) {
  const Overlap core = fit_overlap(std::vector{beside(72e-3, 120e-3, 100e-3, 120e-3)});
  EXPECT_NEAR(core.computing, 2.0 / 3, 1e-12);
  EXPECT_NEAR(core.exchange, 0.2, 1e-12);
}

TEST(FitOverlap, IsTheMedianAndNeverAGain) {
  const Interference one = beside(4e-3, 5e-3, 2e-3, 6e-3);
  const Interference turns = beside(1e-3, 2e-3, 1e-3, 2e-3);
  EXPECT_NEAR(fit_overlap(std::vector{one, turns, turns}).exchange, 1, 1e-12);
  const Overlap faster = fit_overlap(std::vector{beside(4e-3, 3e-3, 2e-3, 1e-3)});
  EXPECT_EQ(faster, Overlap{});
  EXPECT_EQ(fit_overlap({}), Overlap{});
}

TEST(FitOverlap, WhatStoodStillIsAHundredTimesAsSlowAtMost) {
  EXPECT_NEAR(fit_overlap(std::vector{beside(4e-3, 4e-3, 2e-3, 7e-3)}).exchange, 99, 1e-9);
}

}  // namespace link_fit_test
}  // namespace oracle
