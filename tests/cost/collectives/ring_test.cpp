#include "oracle/cost/collectives/ring.h"

#include <gtest/gtest.h>

#include "oracle/cost/collectives/tree.h"
#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace ring_test {

TEST(Ring, WorkedNumber) {
  const Group group = one_level(4, kMicro, kGiga);
  EXPECT_NEAR(ring_all_reduce(Bytes{8e6}, group).value, 12.006e-3, 1e-12);
  EXPECT_NEAR(ring_all_gather(Bytes{8e6}, group).value, 6.003e-3, 1e-12);
  EXPECT_NEAR(ring_reduce_scatter(Bytes{8e6}, group).value, 6.003e-3, 1e-12);
}

/// A hop inside the node may be the slowest one; where a node has one member there is none.
TEST(Ring, TheLongestLatencyPacesAll) {
  const Group inside = two_levels(2, 4, 100 * kMicro, kGiga, kMicro, kGiga);
  EXPECT_NEAR(ring_all_gather(Bytes{}, inside).value, 7 * 100e-6, 1e-12);
  const Group one_each = two_levels(2, 1, 100 * kMicro, kGiga, kMicro, kGiga);
  EXPECT_NEAR(ring_all_gather(Bytes{}, one_each).value, 1e-6, 1e-12);
}

/// What the ParaDL oracle prints per iteration for data parallelism on ABCI: 4 GPUs per node, one
/// EDR rail, α of the level that joins the group, four bytes per parameter.
struct ParaDl {
  std::int64_t ranks;
  double parameters;
  double latency;
  double printed;
};

class RingAsParaDl : public testing::TestWithParam<ParaDl> {};

TEST_P(RingAsParaDl, ReproducesItsDigits) {
  const ParaDl& p = GetParam();
  const Group group =
      p.ranks <= 4 ? one_level(p.ranks, p.latency, 50 * kGiga)
                   : two_levels(p.ranks / 4, 4, 9 * kMicro, 50 * kGiga, p.latency, 12.5 * kGiga);
  EXPECT_NEAR(ring_all_reduce(Bytes{4 * p.parameters}, group).value, p.printed,
              p.printed > 0.1 ? 1e-6 : 1e-9);
}

constexpr double kResNet50 = 22734016;
constexpr double kVgg16 = 169801408;

INSTANTIATE_TEST_SUITE_P(Data, RingAsParaDl,
                         testing::Values(ParaDl{2, kResNet50, 9e-6, .001836721},
                                         ParaDl{4, kResNet50, 9e-6, .002782082},
                                         ParaDl{8, kResNet50, 40.31e-6, .013295389},
                                         ParaDl{16, kResNet50, 40.31e-6, .014849710},
                                         ParaDl{64, kResNet50, 40.31e-6, .019401490},
                                         ParaDl{256, kVgg16, 40.98e-6, .129148},
                                         ParaDl{1024, kVgg16, 40.98e-6, .192412}));

TEST(Ring, LatencyOvertakesBandwidthWhereThePapersSay) {
  const double bytes = 90.9e6;
  const auto latency_share = [&](std::int64_t n) {
    const Group group = one_level(n, 40.98e-6, 12.5 * kGiga);
    return ring_all_reduce(Bytes{0}, group) / ring_all_reduce(Bytes{bytes}, group);
  };
  EXPECT_LT(latency_share(170), 0.5);
  EXPECT_GT(latency_share(180), 0.5);
}

TEST(Ring, LosesToATreeForShortMessagesOnly) {
  const Group group = one_level(64, 10 * kMicro, 10 * kGiga);
  EXPECT_LT(tree_all_reduce(Bytes{1e3}, group), ring_all_reduce(Bytes{1e3}, group));
  EXPECT_GT(tree_all_reduce(Bytes{1e8}, group), ring_all_reduce(Bytes{1e8}, group));
}

TEST(Ring, TheSlowestHopPacesAll) {
  const Group fast = two_levels(4, 4, kMicro, 50 * kGiga, 2 * kMicro, 10 * kGiga);
  const Group slow = two_levels(4, 4, kMicro, 10 * kGiga, 2 * kMicro, 50 * kGiga);
  EXPECT_EQ(ring_all_reduce(Bytes{1e6}, fast), ring_all_reduce(Bytes{1e6}, slow));
}

}  // namespace ring_test
}  // namespace oracle
