// The closed forms against the algorithms themselves, message by message.

#include "tests/cost/collectives/simulation.h"

#include <bit>
#include <gtest/gtest.h>
#include <numeric>

#include "oracle/cost/collectives/halving_doubling.h"
#include "oracle/cost/collectives/hierarchical.h"
#include "oracle/cost/collectives/pairwise.h"
#include "oracle/cost/collectives/ring.h"
#include "oracle/cost/collectives/tree.h"
#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace simulation_test {

constexpr double kBytes = 3e6;

std::vector<int> range(int first, int end) {
  std::vector<int> out(static_cast<std::size_t>(end - first));
  std::iota(out.begin(), out.end(), first);
  return out;
}

/// One level of `n` ranks, or nodes of `per_node`.
Network network_of(int n, int per_node) {
  return {n, per_node, 2 * kMicro, 5 * kGiga, 7 * kMicro, 2 * kGiga};
}

Group group_of(const Network& network) {
  if (network.ranks == network.per_node) {
    return one_level(network.ranks, network.inside_latency, network.inside);
  }
  return two_levels(network.ranks / network.per_node, network.per_node, network.inside_latency,
                    network.inside, network.across_latency, network.across);
}

void expect_summed_everywhere(const Simulation& run, int ranks, int blocks) {
  EXPECT_FALSE(run.twice());
  for (int r = 0; r < ranks; ++r) {
    for (int b = 0; b < blocks; ++b) ASSERT_EQ(run.sum(r, b), run.all()) << r << " block " << b;
  }
}

void expect_time(const Simulation& run, Seconds closed_form) {
  EXPECT_NEAR(run.time(), closed_form.value, 1e-12 * run.time());
}

/// Rings over sets of ranks, at the same time: reduce-scatter of `units` equal slices of the
/// buffer, each of `width` blocks beginning at `first(ring)`; then, gathering, the slices go on
/// around.
struct Ring {
  std::vector<int> ranks;
  int first = 0, width = 1;
};

void ring_pass(Simulation& run, const std::vector<Ring>& rings, bool gather) {
  const int n = static_cast<int>(rings[0].ranks.size());
  for (int step = 0; step < n - 1; ++step) {
    std::vector<Message> messages;
    for (const Ring& ring : rings) {
      for (int i = 0; i < n; ++i) {
        const int slice = ring.first + ((i - step + (gather ? 1 : 0) + n) % n) * ring.width;
        messages.push_back({ring.ranks[static_cast<std::size_t>(i)],
                            ring.ranks[static_cast<std::size_t>((i + 1) % n)],
                            range(slice, slice + ring.width), !gather});
      }
    }
    run.round(messages);
  }
}

Simulation ring(const Network& network) {
  Simulation run(network, network.ranks, kBytes);
  const std::vector<Ring> all = {{range(0, network.ranks)}};
  ring_pass(run, all, false);
  ring_pass(run, all, true);
  return run;
}

Simulation tree(const Network& network) {
  Simulation run(network, 1, kBytes);
  const int n = network.ranks;
  int distance = 1;
  for (; distance < n; distance *= 2) {
    std::vector<Message> messages;
    for (int r = distance; r < n; r += 2 * distance) messages.push_back({r, r - distance, {0}});
    run.round(messages);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    std::vector<Message> messages;
    for (int r = distance; r < n; r += 2 * distance) {
      messages.push_back({r - distance, r, {0}, false});
    }
    run.round(messages);
  }
  return run;
}

/// The blocks that member `i` of `power` still sums after halving up to distances below `distance`.
std::vector<int> kept(int i, int distance, int power) {
  int first = 0, count = power;
  for (int d = 1; d < distance; d *= 2) {
    count /= 2;
    if ((i & d) != 0) first += count;
  }
  return range(first, first + count);
}

Simulation halving_doubling(const Network& network) {
  const int n = network.ranks;
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
  const int folded = n - power;
  Simulation run(network, power, kBytes);
  const auto rank = [&](int i) { return i < folded ? 2 * i : i + folded; };
  const auto fold = [&](bool back) {
    std::vector<Message> messages;
    for (int i = 0; i < folded; ++i) {
      messages.push_back(
          {back ? 2 * i : 2 * i + 1, back ? 2 * i + 1 : 2 * i, range(0, power), !back});
    }
    if (folded > 0) run.round(messages);
  };
  fold(false);
  for (int d = 1; d < power; d *= 2) {
    std::vector<Message> messages;
    for (int i = 0; i < power; ++i)
      messages.push_back({rank(i), rank(i ^ d), kept(i ^ d, 2 * d, power)});
    run.round(messages);
  }
  for (int d = power / 2; d > 0; d /= 2) {
    std::vector<Message> messages;
    for (int i = 0; i < power; ++i) {
      messages.push_back({rank(i), rank(i ^ d), kept(i, 2 * d, power), false});
    }
    run.round(messages);
  }
  fold(true);
  return run;
}

Simulation hierarchical(const Network& network) {
  const int members = network.per_node, nodes = network.ranks / members;
  Simulation run(network, network.ranks, kBytes);
  std::vector<Ring> inside, across;
  for (int node = 0; node < nodes; ++node) {
    inside.push_back({range(node * members, (node + 1) * members), 0, nodes});
  }
  for (int i = 0; i < members; ++i) {
    Ring ring;
    for (int node = 0; node < nodes; ++node) ring.ranks.push_back(node * members + i);
    // A ring leaves its i-th member with slice i + 1.
    ring.first = (i + 1) % members * nodes;
    across.push_back(ring);
  }
  ring_pass(run, inside, false);
  ring_pass(run, across, false);
  ring_pass(run, across, true);
  ring_pass(run, inside, true);
  return run;
}

class OneLevel : public testing::TestWithParam<int> {
 protected:
  Network network = network_of(GetParam(), GetParam());
};

TEST_P(OneLevel, Ring) {
  const Simulation run = ring(network);
  expect_summed_everywhere(run, network.ranks, network.ranks);
  expect_time(run, ring_all_reduce(Bytes{kBytes}, group_of(network)));
}

TEST_P(OneLevel, Tree) {
  const Simulation run = tree(network);
  expect_summed_everywhere(run, network.ranks, 1);
  expect_time(run, tree_all_reduce(Bytes{kBytes}, group_of(network)));
}

TEST_P(OneLevel, HalvingDoubling) {
  const Simulation run = halving_doubling(network);
  expect_summed_everywhere(run, network.ranks,
                           static_cast<int>(std::bit_floor(static_cast<unsigned>(network.ranks))));
  expect_time(run, halving_doubling_all_reduce(Bytes{kBytes}, group_of(network)));
}

TEST_P(OneLevel, Pairwise) {
  Simulation run(network, network.ranks, kBytes);
  for (int step = 1; step < network.ranks; ++step) {
    std::vector<Message> messages;
    for (int r = 0; r < network.ranks; ++r) {
      const int to = (r + step) % network.ranks;
      messages.push_back({r, to, {to}});
    }
    run.round(messages);
  }
  // Block r collects, at rank r, one message from everybody.
  for (int r = 0; r < network.ranks; ++r) EXPECT_EQ(run.sum(r, r), run.all());
  expect_time(run, pairwise_all_to_all(Bytes{kBytes}, group_of(network)));
}

INSTANTIATE_TEST_SUITE_P(Ranks, OneLevel, testing::Range(2, 18));

struct Nodes {
  int nodes, members;
};

class TwoLevels : public testing::TestWithParam<Nodes> {
 protected:
  Network network = network_of(GetParam().nodes * GetParam().members, GetParam().members);
};

/// Nodes that hold whole pairs of halving and doubling, and of the binomial tree.
class NestedLevels : public TwoLevels {};

TEST_P(TwoLevels, Ring) {
  expect_time(ring(network), ring_all_reduce(Bytes{kBytes}, group_of(network)));
}

TEST_P(TwoLevels, Hierarchical) {
  const Simulation run = hierarchical(network);
  expect_summed_everywhere(run, network.ranks, network.ranks);
  expect_time(run, hierarchical_all_reduce(Bytes{kBytes}, group_of(network)));
}

TEST_P(NestedLevels, Tree) {
  expect_time(tree(network), tree_all_reduce(Bytes{kBytes}, group_of(network)));
}

TEST_P(NestedLevels, HalvingDoubling) {
  expect_time(halving_doubling(network),
              halving_doubling_all_reduce(Bytes{kBytes}, group_of(network)));
}

TEST_P(TwoLevels, HalvingNeverTakesLongerThanPriced) {
  EXPECT_LE(halving_doubling(network).time(),
            halving_doubling_all_reduce(Bytes{kBytes}, group_of(network)).value * (1 + 1e-12));
}

TEST_P(TwoLevels, PairwiseNodeByNode) {
  Simulation run(network, network.ranks, kBytes);
  const auto [nodes, members] = GetParam();
  for (int far = 0; far < nodes; ++far) {
    for (int near = far == 0 ? 1 : 0; near < members; ++near) {
      std::vector<Message> messages;
      for (int r = 0; r < network.ranks; ++r) {
        const int node = (r / members + far) % nodes, member = (r % members + near) % members;
        messages.push_back({r, node * members + member, {node * members + member}});
      }
      run.round(messages);
    }
  }
  for (int r = 0; r < network.ranks; ++r) EXPECT_EQ(run.sum(r, r), run.all());
  expect_time(run, pairwise_all_to_all(Bytes{kBytes}, group_of(network)));
}

INSTANTIATE_TEST_SUITE_P(Nodes, TwoLevels,
                         testing::Values(Nodes{2, 2}, Nodes{2, 4}, Nodes{4, 2}, Nodes{4, 4},
                                         Nodes{8, 4}, Nodes{3, 4}, Nodes{5, 3}, Nodes{6, 2}));
INSTANTIATE_TEST_SUITE_P(Nodes, NestedLevels,
                         testing::Values(Nodes{2, 2}, Nodes{2, 4}, Nodes{4, 2}, Nodes{4, 4},
                                         Nodes{8, 4}));

}  // namespace simulation_test
}  // namespace oracle
