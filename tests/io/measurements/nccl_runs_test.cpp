// Several tests in one log, their ranks, and the forms in which old versions and pods write them.

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/measurements/files.h"

namespace oracle {
namespace nccl_runs_test {

using testing::HasSubstr;

/// 10^9 bytes a second on the bus, of the longest buffer of an operation among so many ranks.
double bus_bandwidth(const Measurements& read, LinkOperation operation, std::int64_t ranks) {
  double best = 0;
  for (const LinkSample& one : read.links) {
    if (one.operation != operation || one.ranks != ranks) continue;
    const LinkRounds rounds = rounds_of(operation, ranks, one.bytes);
    best = std::max(best, rounds.rounds * rounds.message.value / one.median.value / 1e9);
  }
  return best;
}

std::size_t count_of(const Measurements& read, std::string_view level, std::int64_t ranks) {
  return static_cast<std::size_t>(std::count_if(
      read.links.begin(), read.links.end(),
      [&](const LinkSample& one) { return one.level == level && one.ranks == ranks; }));
}

TEST(NcclRuns, TwoOperationsInOneLogAreTwoTests) {
  const Measurements read = read_kept("nccl_two_ops_one_file.txt");
  EXPECT_NEAR(bus_bandwidth(read, LinkOperation::all_reduce, 16), 180, 3);
  EXPECT_NEAR(bus_bandwidth(read, LinkOperation::all_gather, 16), 150, 3);
  EXPECT_EQ(count_of(read, kNetworkTier, 16), read.links.size());
}

TEST(NcclRuns, TwoNumbersOfRanksAreTwoLevels) {
  const Measurements read = read_kept("nccl_two_scales.txt");
  EXPECT_NEAR(bus_bandwidth(read, LinkOperation::all_reduce, 8), 230, 3);
  EXPECT_NEAR(bus_bandwidth(read, LinkOperation::all_reduce, 16), 90, 3);
  EXPECT_EQ(count_of(read, kMachineTier, 8) + count_of(read, kNetworkTier, 16), read.links.size());
}

TEST(NcclRuns, ARankThatIsThereTwiceIsRefused) {
  try {
    read_kept("nccl_not_built_with_mpi.txt");
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a rank is there twice; build nccl-tests with MPI=1"));
  }
}

TEST(NcclRuns, AnEmptyCellOfTheReductionIsFilled) {
  const Measurements read = read_kept("nccl_old_alltoall_no_redop.txt");
  EXPECT_EQ(refused(read), 0U);
  EXPECT_NEAR(bus_bandwidth(read, LinkOperation::all_to_all, 16), 12, 0.1);
}

TEST(NcclRuns, ThePrefixOfAPodIsTakenAway) {
  const Measurements read = read_kept("nccl_k8s_pod.txt");
  EXPECT_EQ(refused(read), 0U);
  EXPECT_EQ(count_of(read, kNetworkTier, 16), read.links.size());
  EXPECT_NEAR(bus_bandwidth(read, LinkOperation::all_reduce, 16), 181, 3);
}

constexpr const char* kRow =
    "# all_reduce_perf\n"
    " 4194304 1048576 float sum -1 147.4 28.45 49.79 0 145.1 28.91 50.59 0\n";

TEST(NcclRuns, TheBandwidthsTellTheRanks) {
  MeasurementHints hints;
  hints.level = "node";
  const Measurements read = read_measurements(kRow, "some.log", hints);
  ASSERT_EQ(read.links.size(), 2U);
  EXPECT_EQ(read.links.front().ranks, 8);
}

TEST(NcclRuns, RanksThatDoNotAgreeWithTheBandwidthsAreRefused) {
  MeasurementHints hints;
  hints.ranks = 16;
  EXPECT_THAT(refusal(kRow, hints), HasSubstr("whose bandwidths are not those of 16 ranks"));
}

}  // namespace nccl_runs_test
}  // namespace oracle
