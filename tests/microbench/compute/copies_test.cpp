#include "microbench/compute/copies.h"

#include <gtest/gtest.h>

namespace oracle {
namespace compute_copies_test {

constexpr StopRule kOnce{1, 0, 10, 1e-9};

TEST(Copies, RoundsAreMadeAsTheyAreDue) {
  CopyBench bench(2, kOnce);
  bench.run_up_to(0);
  const std::size_t round = CopyBench(bench).take().size();
  EXPECT_EQ(round, 6U) << "five sizes by both, the largest by one";
  bench.run_up_to(0.1);
  EXPECT_EQ(CopyBench(bench).take().size(), round) << "the second is not due yet";
  bench.run_up_to(0.5);
  EXPECT_EQ(CopyBench(bench).take().size(), 4 * round);
  bench.run_up_to(1);
  bench.run_up_to(1);
  EXPECT_EQ(bench.take().size(), 8 * round);
}

TEST(Copies, OneCoreCopiesAlone) {
  CopyBench bench(1, kOnce);
  bench.run_up_to(0);
  const std::vector<CopySample> samples = bench.take();
  ASSERT_EQ(samples.size(), 5U);
  for (const CopySample& sample : samples) EXPECT_EQ(sample.threads, 1);
}

}  // namespace compute_copies_test
}  // namespace oracle
