#include "validate/equivalence/serial.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace serial_test {

std::vector<SampleRange> ranges(const Graph& graph, std::string_view strategy, std::int64_t batch) {
  return serial_run(graph, plan_of(graph, strategy, batch), flat_cluster()).ranges;
}

using Ranges = std::vector<SampleRange>;

TEST(SerialRun, TakesTheGroupsThatBatchNormNormalizes) {
  const Graph graph = residual_network();
  EXPECT_EQ(ranges(graph, "data:2", 8), (Ranges{{0, 4}, {4, 8}}));
  EXPECT_EQ(ranges(graph, "data:2; micro_batches=2", 8), (Ranges{{0, 2}, {2, 4}, {4, 6}, {6, 8}}));
  EXPECT_EQ(ranges(graph, "data:2; batch_norm=synchronized", 8), (Ranges{{0, 8}}));
  EXPECT_EQ(ranges(graph, "filter:2", 8), (Ranges{{0, 8}}));
}

TEST(SerialRun, TakesMicroBatchesWhereNothingIsNormalized) {
  EXPECT_EQ(ranges(plain_network(), "data:2", 8), (Ranges{{0, 8}}));
  EXPECT_EQ(ranges(plain_network(), "data:2; micro_batches=3", 7),
            (Ranges{{0, 2}, {2, 4}, {4, 7}}));
}

TEST(SerialRun, ThereIsNoneForLocalStatisticsOfCutPositions) {
  EXPECT_THROW(ranges(residual_network(), "height:2; batch_norm=local", 8), InputError);
}

}  // namespace serial_test
}  // namespace oracle
