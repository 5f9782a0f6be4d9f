#include "microbench/comm/run.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "tests/microbench/comm/memory_transport.h"

namespace oracle {
namespace comm_run_test {

/// Five segments of one value on four lanes; a group of one only copies.
TEST(CollectiveRun, LetsOthersByAfterEachSegmentThatItFolds) {
  fakes::Hub hub(1);
  const auto transport = fakes::make_memory_transport(hub, 0);
  const std::vector<float> given = {1, 2, 3, 4, 5};
  std::vector<float> kept(given.size(), 0);
  CollectiveCall call;
  call.schedule = all_gather_schedule({0, 1}, 5, 1);
  call.given = given.data();
  call.kept = kept.data();
  call.element_bytes = sizeof(float);
  const auto run = make_collective_run({0, {0, 1}, {0}}, call);
  for (std::size_t segment = 0; segment < given.size(); ++segment) {
    EXPECT_EQ(std::count(kept.begin(), kept.end(), 0.0F), 5 - static_cast<int>(segment));
    const Progress progress = run->advance(*transport);
    EXPECT_TRUE(progress.moved);
    EXPECT_EQ(progress.done, segment == 4);
  }
  EXPECT_EQ(kept, given);
}

}  // namespace comm_run_test
}  // namespace oracle
