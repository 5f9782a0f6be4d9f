#include "oracle/cluster/placement.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

#include "oracle/base/error.h"

namespace oracle {
namespace placement_test {

Level level(std::int64_t units, double bandwidth, double rails = 1, double latency = 1e-6) {
  Level made;
  made.name = "level";
  made.units = units;
  made.uplink.bandwidth = Bandwidth{bandwidth};
  made.uplink.flow_limit = Bandwidth{bandwidth / rails};
  made.uplink.latency = Seconds{latency};
  return made;
}

Cluster abci() {
  Cluster cluster;
  cluster.id = "abci";
  cluster.levels = {level(4, 50e9, 1, 9e-6), level(17, 25e9, 2, 40.31e-6),
                    level(2, 450e9, 36, 40.49e-6), level(32, 300e9, 24, 40.98e-6)};
  return cluster;
}

TEST(Placement, FourDataGroupsShareANodesTwoRails) {
  const std::vector<std::int64_t> mesh = {16, 4};
  const Group data = place(abci(), mesh, 0b01);
  EXPECT_EQ(data.size, 16);
  ASSERT_EQ(data.levels, 2U);
  EXPECT_EQ(data.level[0].members, 1);
  EXPECT_EQ(data.level[1].members, 16);
  EXPECT_EQ(data.level[1].flows, 4);
  EXPECT_DOUBLE_EQ(data.level[1].flow.value, 6.25e9);
  EXPECT_DOUBLE_EQ(data.level[1].alone.value, 25e9);
  EXPECT_DOUBLE_EQ(data.level[1].flow_limit.value, 12.5e9);
  EXPECT_DOUBLE_EQ(data.top().latency.value, 40.31e-6);
  EXPECT_DOUBLE_EQ(data.slowest_flow().value, 6.25e9);

  // A node whose inside is slow to start holds up who crosses it, and no one else.
  Cluster slow = abci();
  slow.levels[0].uplink.latency = Seconds{1};
  EXPECT_DOUBLE_EQ(place(slow, mesh, 0b01).top().latency.value, 40.31e-6);
  EXPECT_DOUBLE_EQ(place(slow, mesh, 0b11).top().latency.value, 1);

  const Group filter = place(abci(), mesh, 0b10);
  EXPECT_EQ(filter.size, 4);
  ASSERT_EQ(filter.levels, 1U);
  EXPECT_EQ(filter.level[0].members, 4);
  EXPECT_DOUBLE_EQ(filter.slowest_flow().value, 50e9);
}

TEST(Placement, OneGroupOverAllHasTheLinksToItself) {
  const std::vector<std::int64_t> mesh = {1024};
  const Group all = place(abci(), mesh, 1);
  ASSERT_EQ(all.levels, 4U);
  const std::array<std::int64_t, 4> members = {4, 68, 136, 1024};
  for (std::size_t l = 0; l < 4; ++l) {
    EXPECT_EQ(all.level[l].members, members[l]) << l;
    EXPECT_EQ(all.level[l].flows, 1) << l;
  }
  EXPECT_DOUBLE_EQ(all.slowest_flow().value, 25e9);
}

/// Half a DGX-1: 25 GB/s between two GPUs, 75 among four, and no more than a GPU's links in all.
TEST(Placement, UnitsThatNoSwitchJoinsHaveALinkForEachOther) {
  Cluster mesh;
  mesh.levels = {level(8, 150e9), level(4, 50e9)};
  mesh.levels[0].uplink.pair = Bandwidth{25e9};
  const auto flow = [&](const std::vector<std::int64_t>& degrees, AxisSet axes) {
    return place(mesh, degrees, axes).level[0].flow.value;
  };
  EXPECT_EQ(flow({4, 2}, 0b10), 25e9);
  EXPECT_EQ(flow({2, 4}, 0b10), 75e9);
  EXPECT_EQ(flow({4, 2}, 0b01), 75e9);
  EXPECT_EQ(flow({8}, 0b1), 150e9);
  // One member in each node: the links inside carry nothing of it.
  EXPECT_EQ(place(mesh, std::vector<std::int64_t>{4, 8}, 0b01).slowest_flow().value, 50e9 / 8);
  EXPECT_EQ(place_neighbours(mesh, std::vector<std::int64_t>{8}, 0).level[0].flow.value, 25e9);
}

TEST(Placement, GroupsOfFourInNodesOfSixCountTheOneThatIsSplit) {
  Cluster cluster;
  cluster.levels = {level(6, 50e9), level(4, 25e9)};
  const std::vector<std::int64_t> mesh = {6, 4};
  const Group filter = place(cluster, mesh, 0b10);
  ASSERT_EQ(filter.levels, 2U);
  EXPECT_EQ(filter.level[0].members, 2);
  EXPECT_EQ(filter.level[1].flows, 1);
  const Group data = place(cluster, mesh, 0b01);
  EXPECT_EQ(data.level[0].members, 2);
  EXPECT_EQ(data.level[1].flows, 4);
}

TEST(Placement, NeighboursCrossWhereTheirAxisDoes) {
  const std::vector<std::int64_t> mesh = {16, 4};
  const Group halo = place_neighbours(abci(), mesh, 1);
  EXPECT_EQ(halo.size, 2);
  EXPECT_EQ(halo.levels, 1U);
  const Group stages = place_neighbours(abci(), mesh, 0);
  ASSERT_EQ(stages.levels, 2U);
  EXPECT_EQ(stages.level[1].flows, 4);
  EXPECT_DOUBLE_EQ(stages.level[1].flow.value, 6.25e9);
  EXPECT_DOUBLE_EQ(stages.level[1].alone.value, 12.5e9);
  EXPECT_EQ(place_neighbours(abci(), std::vector<std::int64_t>{8, 1}, 1).size, 1);
}

TEST(Placement, RanksThatShareADeviceShareItsLink) {
  Cluster cluster;
  cluster.levels = {level(2, 8e9)};
  cluster.ranks_per_device = 4;
  const std::vector<std::int64_t> mesh = {2, 4};
  const Group across = place(cluster, mesh, 0b01);
  ASSERT_EQ(across.levels, 1U);
  EXPECT_DOUBLE_EQ(across.slowest_flow().value, 2e9);
  const Group inside = place(cluster, mesh, 0b10);
  ASSERT_EQ(inside.levels, 1U);
  EXPECT_DOUBLE_EQ(inside.slowest_flow().value, 8e9);
}

TEST(Placement, AMeshLargerThanTheClusterIsRefused) {
  const std::vector<std::int64_t> mesh = {1LL << 40, 1LL << 40};
  try {
    place(abci(), mesh, 1);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "strategy: needs more than the 4352 ranks of cluster \"abci\"; lower a degree or "
                 "choose a larger cluster");
  }
  EXPECT_EQ(place(abci(), std::vector<std::int64_t>{4352}, 1).size, 4352);
  EXPECT_EQ(place(abci(), std::vector<std::int64_t>{4352}, 0).levels, 0U);
}

struct Case {
  Cluster cluster;
  std::vector<std::int64_t> mesh;
  std::int64_t ranks = 1;
};

Case random_case(std::mt19937_64& random) {
  const auto pick = [&random](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  Case made;
  for (std::int64_t l = pick(1, 3); l > 0; --l)
    made.cluster.levels.push_back(level(pick(1, 7), 1e9));
  made.cluster.ranks_per_device = pick(0, 3) == 0 ? pick(2, 4) : 1;
  for (std::int64_t a = pick(1, 4); a > 0; --a) {
    const std::int64_t most = std::min<std::int64_t>(12, made.cluster.ranks() / made.ranks);
    made.mesh.push_back(pick(1, most));
    made.ranks *= made.mesh.back();
  }
  return made;
}

/// Digits of a rank, last axis fastest.
std::vector<std::int64_t> digits_of(std::int64_t rank, const std::vector<std::int64_t>& mesh) {
  std::vector<std::int64_t> digits(mesh.size());
  for (std::size_t a = mesh.size(); a-- > 0;) {
    digits[a] = rank % mesh[a];
    rank /= mesh[a];
  }
  return digits;
}

std::vector<std::vector<std::int64_t>> groups_of(const Case& c, AxisSet axes) {
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> groups;
  for (std::int64_t rank = 0; rank < c.ranks; ++rank) {
    std::vector<std::int64_t> key = digits_of(rank, c.mesh);
    for (std::size_t a = 0; a < key.size(); ++a) {
      if ((axes >> a & 1U) != 0) key[a] = 0;
    }
    groups[key].push_back(rank);
  }
  std::vector<std::vector<std::int64_t>> list;
  for (auto& [key, members] : groups) list.push_back(std::move(members));
  return list;
}

std::int64_t most_in_one_unit(const std::vector<std::int64_t>& group, std::int64_t capacity) {
  std::map<std::int64_t, std::int64_t> count;
  std::int64_t most = 0;
  for (const std::int64_t rank : group) most = std::max(most, ++count[rank / capacity]);
  return most;
}

std::int64_t most_crossing(const std::vector<std::vector<std::int64_t>>& groups,
                           std::int64_t capacity) {
  std::map<std::int64_t, std::int64_t> crossing;
  std::int64_t most = 0;
  for (const auto& group : groups) {
    std::set<std::int64_t> units;
    for (const std::int64_t rank : group) units.insert(rank / capacity);
    if (units.size() < 2) continue;
    for (const std::int64_t unit : units) most = std::max(most, ++crossing[unit]);
  }
  return most;
}

TEST(Placement, AgreesWithCountingEveryRank) {
  std::mt19937_64 random(20210621);
  int spanning = 0;
  for (int i = 0; i < 1500; ++i) {
    const Case c = random_case(random);
    const auto axes = static_cast<AxisSet>(random() % (1U << c.mesh.size()));
    const auto groups = groups_of(c, axes);
    const Group placed = place(c.cluster, c.mesh, axes);
    ASSERT_EQ(placed.size, static_cast<std::int64_t>(groups.front().size()));
    if (placed.size == 1) continue;
    for (std::size_t l = 0; l < c.cluster.levels.size(); ++l) {
      std::int64_t members = placed.size;
      for (const auto& group : groups) {
        members = std::min(members, most_in_one_unit(group, c.cluster.capacity(l)));
      }
      const std::int64_t below = l == 0 ? c.cluster.ranks_per_device : c.cluster.capacity(l - 1);
      const std::int64_t crossing = most_crossing(groups, below);
      ASSERT_EQ(l < placed.levels, l == 0 || crossing > 0) << "case " << i << " level " << l;
      if (l >= placed.levels) continue;
      EXPECT_EQ(placed.level[l].members, members) << "case " << i << " level " << l;
      if (crossing == 0) continue;
      EXPECT_EQ(placed.level[l].flows, static_cast<double>(crossing))
          << "case " << i << " level " << l;
      spanning += l > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(spanning, 500);
}

TEST(Placement, NeighboursAgreeWithCountingEveryPair) {
  std::mt19937_64 random(7);
  int spanning = 0;
  for (int i = 0; i < 1500; ++i) {
    const Case c = random_case(random);
    const std::size_t axis = random() % c.mesh.size();
    const Group placed = place_neighbours(c.cluster, c.mesh, axis);
    if (c.mesh[axis] == 1) continue;
    std::int64_t stride = 1;
    for (std::size_t a = axis + 1; a < c.mesh.size(); ++a) stride *= c.mesh[a];
    for (std::size_t l = 0; l < c.cluster.levels.size(); ++l) {
      const std::int64_t below = l == 0 ? c.cluster.ranks_per_device : c.cluster.capacity(l - 1);
      std::map<std::int64_t, std::int64_t> leaving;
      std::int64_t most = 0;
      for (std::int64_t rank = 0; rank < c.ranks; ++rank) {
        if (digits_of(rank, c.mesh)[axis] == c.mesh[axis] - 1) continue;
        if (rank / below != (rank + stride) / below) most = std::max(most, ++leaving[rank / below]);
      }
      ASSERT_EQ(l < placed.levels, l == 0 || most > 0) << "case " << i << " level " << l;
      if (most == 0) continue;
      EXPECT_EQ(placed.level[l].flows, static_cast<double>(most)) << "case " << i << " level " << l;
      spanning += l > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(spanning, 300);
}

}  // namespace placement_test
}  // namespace oracle
