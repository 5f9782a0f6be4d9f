#include "validate/executor/largest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/validate/in_process.h"

namespace oracle {
namespace largest_test {

using Numbers = std::vector<std::vector<float>>;

struct Kept {
  Numbers values;
  std::vector<std::int64_t> bytes;
};

/// What each rank has afterwards, and has sent.
Kept kept_of(const Numbers& own) {
  const auto ranks = static_cast<int>(own.size());
  Kept kept{own, std::vector<std::int64_t>(own.size())};
  run_ranks(ranks, [&](Communicator& communicator) {
    const auto self = static_cast<std::size_t>(communicator.rank());
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    const auto backend = make_cpu_backend(1);
    keep_largest(kept.values[self], all, *backend, communicator, "test");
    kept.bytes[self] = communicator.bytes_sent();
  });
  return kept;
}

TEST(Largest, WorkedExample) {
  const Kept kept = kept_of({{1, 5, 2, 0}, {4, 3, 2, -1}});
  for (const auto& values : kept.values) EXPECT_THAT(values, testing::ElementsAre(4, 5, 2, 0));
  EXPECT_THAT(kept.bytes, testing::ElementsAre(16, 16));
}

/// Of 4 numbers 3 ranks take 1, 1 and 2, and send 16 together.
TEST(Largest, TakesPartsThatDiffer) {
  const Kept kept = kept_of({{-1, -9, 7, 0}, {-2, -8, 3, 9}, {-3, -7, 5, 1}});
  for (const auto& values : kept.values) EXPECT_THAT(values, testing::ElementsAre(-1, -7, 7, 9));
  EXPECT_EQ(kept.bytes[0] + kept.bytes[1] + kept.bytes[2], 4 * 16);
}

}  // namespace largest_test
}  // namespace oracle
