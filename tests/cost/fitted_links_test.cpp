#include "oracle/cost/fitted_links.h"

#include <gtest/gtest.h>

#include "oracle/cost/collectives/pairwise.h"
#include "tests/cost/collectives/groups.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace fitted_links_test {

Profile with_fit(const char* level, std::vector<LinkPiece> pieces) {
  Profile profile;
  profile.links = {{level, std::move(pieces)}};
  return profile;
}

/// One member in each of four nodes of `cluster_of_gpus`, two groups on each uplink.
Group across_nodes() {
  Group group = two_levels(4, 1, 9 * kMicro, 50 * kGiga, 40 * kMicro, 12.5 * kGiga);
  group.level[1].flow = Bandwidth{6.25 * kGiga};
  return group;
}

TEST(FittedLinks, WorkedNumber) {
  const Cluster cluster = cluster_of_gpus();
  const Profile profile = with_fit("system", {{Bytes{0}, Seconds{30e-6}, Bandwidth{10e9}, 0.05}});
  const FittedLinks fits(cluster, profile);
  Group group = across_nodes();
  fits.apply(group, Bytes{1e6});
  EXPECT_DOUBLE_EQ(group.level[1].flow.value, 5e9);
  EXPECT_DOUBLE_EQ(group.level[1].flow_limit.value, 10e9);
  EXPECT_DOUBLE_EQ(group.level[1].latency.value, 30e-6);
  EXPECT_DOUBLE_EQ(group.level[0].flow.value, 50e9);
}

TEST(FittedLinks, RailsStay) {
  // Two rails of 12.5 GB/s, one message measured at 10: 20 GB/s for a group alone.
  const Cluster cluster = cluster_of_gpus();
  const Profile profile = with_fit("node", {{Bytes{0}, Seconds{1e-6}, Bandwidth{10e9}, 0.05}});
  Group group = one_level(4, kMicro, 25 * kGiga);
  group.level[0].flow_limit = Bandwidth{12.5e9};
  FittedLinks(cluster, profile).apply(group, Bytes{1});
  EXPECT_DOUBLE_EQ(group.level[0].flow.value, 20e9);
  EXPECT_DOUBLE_EQ(group.level[0].flow_limit.value, 10e9);
}

TEST(FittedLinks, ThePieceOfTheMessagesSizeCounts) {
  const Cluster cluster = cluster_of_gpus();
  const Profile profile = with_fit("node", {{Bytes{100}, Seconds{1e-6}, Bandwidth{1e9}, 0.1},
                                            {Bytes{1000}, Seconds{2e-6}, Bandwidth{2e9}, 0.2}});
  const FittedLinks fits(cluster, profile);
  const auto latency = [&](double bytes) {
    Group group = one_level(4, kMicro, 50 * kGiga);
    fits.apply(group, Bytes{bytes});
    return group.level[0].latency.value;
  };
  EXPECT_DOUBLE_EQ(latency(1), 1e-6);
  EXPECT_DOUBLE_EQ(latency(999), 1e-6);
  EXPECT_DOUBLE_EQ(latency(1000), 2e-6);
  EXPECT_DOUBLE_EQ(latency(1e9), 2e-6);
}

TEST(FittedLinks, EvidenceIsFittedWhereEveryJoiningLevelIs) {
  const Cluster cluster = cluster_of_gpus();
  const Profile profile = with_fit("system", {{Bytes{0}, Seconds{30e-6}, Bandwidth{10e9}, 0.05}});
  const FittedLinks fits(cluster, profile);
  const Evidence across = fits.evidence(across_nodes(), Bytes{1});
  EXPECT_EQ(across.source, Source::fitted);
  EXPECT_DOUBLE_EQ(across.uncertainty, 0.05);
  const Group both = two_levels(2, 4, kMicro, kGiga, kMicro, kGiga);
  EXPECT_EQ(fits.evidence(both, Bytes{1}).source, Source::datasheet);
  EXPECT_GT(fits.evidence(both, Bytes{1}).uncertainty, 0.1);
}

/// 16 ranks in two nodes of 8: of 15 messages of each, 8 cross the uplink, 8 ranks at a time.
Profile with_all_to_all() {
  Profile profile = with_fit("system", {{Bytes{0}, Seconds{8e-6}, Bandwidth{12e9}, 0.05}});
  profile.links[0].operation = "all_to_all";
  profile.links[0].algorithm = "pairwise";
  profile.links[0].ranks = 16;
  profile.links[0].per_unit = 8;
  return profile;
}

/// `nodes` of 8 on four rails of 12.5 GB/s.
Group eight_in_each_of(std::int64_t nodes) {
  Group group = two_levels(nodes, 8, 3 * kMicro, 50 * kGiga, 9 * kMicro, 50 * kGiga);
  group.level[1].flow_limit = Bandwidth{12.5 * kGiga};
  return group;
}

TEST(FittedLinks, AnAllToAllAcrossLevelsGivesBackWhatWasMeasured) {
  const Cluster cluster = cluster_of_gpus();
  const Profile profile = with_all_to_all();
  const FittedLinks fits(cluster, profile);
  const auto time = [&](std::int64_t nodes) {
    Group group = eight_in_each_of(nodes);
    const LinkFit* fit = fits.collective(Collective::all_to_all, group);
    EXPECT_EQ(fit, &profile.links[0]);
    const Bytes message{1e6};
    fits.apply(group, message, fit);
    return pairwise_all_to_all(message * static_cast<double>(group.size), group).value;
  };
  const double step = 8e-6 + 1e6 / 12e9;
  EXPECT_NEAR(time(2), 15 * step, 1e-12);
  // Of four nodes 24 messages of each cross, and the uplink is the same.
  EXPECT_NEAR(time(4), 24 * 15.0 / 8 * step, 1e-12);
}

TEST(FittedLinks, OfAllToAllsTheOneOfTheSameShapeCounts) {
  const Cluster cluster = cluster_of_gpus();
  Profile profile = with_all_to_all();
  for (const std::int64_t ranks : {16, 32, 0}) {
    profile.links.push_back(profile.links[0]);
    profile.links.back().ranks = ranks;
    profile.links.back().per_unit = ranks == 32 ? 8 : 1;
  }
  const FittedLinks fits(cluster, profile);
  const auto found = [&](const Group& group) {
    return fits.collective(Collective::all_to_all, group) - profile.links.data();
  };
  EXPECT_EQ(found(eight_in_each_of(2)), 0);
  EXPECT_EQ(found(two_levels(16, 1, kMicro, kGiga, kMicro, kGiga)), 1);
  EXPECT_EQ(found(eight_in_each_of(4)), 2);
  EXPECT_EQ(found(eight_in_each_of(3)), 3);
}

TEST(FittedLinks, WhatConcurrentFlowsGetTogetherIsShared) {
  const Cluster cluster = cluster_of_gpus();
  Profile profile = with_fit("system", {{Bytes{0}, Seconds{30e-6}, Bandwidth{10e9}, 0.05}});
  profile.links[0].together = 1.6;
  const FittedLinks fits(cluster, profile);
  Group group = across_nodes();
  group.level[1].flows = 2;
  fits.apply(group, Bytes{1e6});
  EXPECT_DOUBLE_EQ(group.level[1].flow.value, 8e9);
  EXPECT_DOUBLE_EQ(group.level[1].alone.value, 10e9);
  Group alone = across_nodes();
  alone.level[1].flows = 1;
  fits.apply(alone, Bytes{1e6});
  EXPECT_DOUBLE_EQ(alone.level[1].flow.value, 10e9);
}

TEST(FittedLinks, OutsideOfWhatWasMeasuredIsAssumed) {
  const Cluster cluster = cluster_of_gpus();
  Profile profile = with_fit("system", {{Bytes{0}, Seconds{30e-6}, Bandwidth{10e9}, 0.2}});
  profile.links[0].least = Bytes{100};
  profile.links[0].most = Bytes{1e6};
  const FittedLinks fits(cluster, profile);
  EXPECT_EQ(fits.evidence(across_nodes(), Bytes{100}).source, Source::fitted);
  EXPECT_EQ(fits.evidence(across_nodes(), Bytes{1e6}).source, Source::fitted);
  for (const double outside : {99.0, 1.1e6}) {
    const Evidence evidence = fits.evidence(across_nodes(), Bytes{outside});
    EXPECT_EQ(evidence.source, Source::assumed);
    EXPECT_DOUBLE_EQ(evidence.uncertainty, 0.4);
  }
}

TEST(FittedLinks, LongerMessagesAreToldByTheBandwidthOfTheLongest) {
  const Cluster cluster = cluster_of_gpus();
  Profile profile = with_fit("system", {{Bytes{0}, Seconds{20e-6}, Bandwidth{10e9}, 0.2}});
  profile.links[0].most = Bytes{1e6};
  const FittedLinks fits(cluster, profile);
  EXPECT_EQ(fits.evidence(across_nodes(), Bytes{8e6}).source, Source::fitted);
  EXPECT_EQ(fits.evidence(across_nodes(), Bytes{8e6}).uncertainty, 0.2);
  EXPECT_EQ(fits.evidence(across_nodes(), Bytes{8.1e6}).source, Source::assumed);
  profile.links[0].pieces[0].latency = Seconds{30e-6};
  EXPECT_EQ(FittedLinks(cluster, profile).evidence(across_nodes(), Bytes{8e6}).source,
            Source::assumed)
      << "of the longest, too, a fourth was latency";
}

TEST(FittedLinks, ACollectiveStandsForAllLinksItCrosses) {
  const Cluster cluster = cluster_of_gpus();
  Profile profile = with_fit("system", {{Bytes{0}, Seconds{5e-6}, Bandwidth{80e9}, 0.1}});
  profile.links[0].operation = "all_gather";
  profile.links[0].algorithm = "ring";
  const FittedLinks fits(cluster, profile);
  EXPECT_EQ(fits.collective(Collective::all_reduce, across_nodes()), nullptr);
  const Group both = two_levels(2, 4, kMicro, 50 * kGiga, 40 * kMicro, 12.5 * kGiga);
  const LinkFit* fit = fits.collective(Collective::all_gather, both);
  ASSERT_NE(fit, nullptr);
  Group group = both;
  fits.apply(group, Bytes{1e6}, fit);
  EXPECT_DOUBLE_EQ(group.top().latency.value, 5e-6);
  EXPECT_DOUBLE_EQ(group.slowest_flow().value, 80e9);
  EXPECT_EQ(fits.evidence(both, Bytes{1e6}, fit).source, Source::fitted);
  EXPECT_EQ(fits.evidence(both, Bytes{1e6}).source, Source::datasheet);
}

TEST(FittedLinks, ACollectiveOfAsManyRanksGoesBeforeThatOfAny) {
  const Cluster cluster = cluster_of_gpus();
  Profile profile;
  for (const std::int64_t ranks : {4, 0, 2}) {
    LinkFit fit{"system", {{Bytes{0}, Seconds{5e-6}, Bandwidth{80e9}, 0.1}}};
    fit.operation = "all_reduce";
    fit.algorithm = "ring";
    fit.ranks = ranks;
    profile.links.push_back(fit);
  }
  const FittedLinks fits(cluster, profile);
  const auto ranks_of_fit = [&](std::int64_t nodes) {
    const Group group = two_levels(nodes, 1, kMicro, kGiga, kMicro, kGiga);
    return fits.collective(Collective::all_reduce, group)->ranks;
  };
  EXPECT_EQ(ranks_of_fit(2), 2);
  EXPECT_EQ(ranks_of_fit(4), 4);
  EXPECT_EQ(ranks_of_fit(3), 0);
}

/// What two groups that each measured `alone` get on two rails of 12.5 GB/s that both cross.
double collective_beside_another(double alone) {
  const Cluster cluster = cluster_of_gpus();
  Profile profile = with_fit("system", {{Bytes{0}, Seconds{5e-6}, Bandwidth{alone}, 0.1}});
  profile.links[0].operation = "all_reduce";
  profile.links[0].algorithm = "ring";
  const FittedLinks fits(cluster, profile);
  Group group = across_nodes();
  group.level[1].alone = Bandwidth{25e9};
  group.level[1].flow = Bandwidth{12.5e9};
  fits.apply(group, Bytes{1e6}, fits.collective(Collective::all_reduce, group));
  return group.level[1].flow.value;
}

TEST(FittedLinks, ACollectiveOnOneRailLeavesTheOtherOneToTheNextGroup) {
  EXPECT_DOUBLE_EQ(collective_beside_another(10e9), 10e9);
  // A little faster than the data sheet has it.
  EXPECT_DOUBLE_EQ(collective_beside_another(12.6e9), 12.6e9);
}

TEST(FittedLinks, ACollectiveOnBothRailsSharesThem) {
  EXPECT_DOUBLE_EQ(collective_beside_another(24e9), 12e9);
}

TEST(FittedLinks, OtherLevelsAndEmptyFitsAreNoFits) {
  const Cluster cluster = cluster_of_gpus();
  EXPECT_TRUE(FittedLinks(cluster, Profile{}).empty());
  EXPECT_TRUE(FittedLinks(cluster, with_fit("rack", {{}})).empty());
  EXPECT_TRUE(FittedLinks(cluster, with_fit("node", {})).empty());
}

}  // namespace fitted_links_test
}  // namespace oracle
