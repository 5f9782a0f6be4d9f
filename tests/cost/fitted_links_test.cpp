#include "oracle/cost/fitted_links.h"

#include <gtest/gtest.h>

#include "tests/cost/collectives/groups.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace {

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

TEST(FittedLinks, OtherLevelsAndEmptyFitsAreNoFits) {
  const Cluster cluster = cluster_of_gpus();
  EXPECT_TRUE(FittedLinks(cluster, Profile{}).empty());
  EXPECT_TRUE(FittedLinks(cluster, with_fit("rack", {{}})).empty());
  EXPECT_TRUE(FittedLinks(cluster, with_fit("node", {})).empty());
}

}  // namespace
}  // namespace oracle
