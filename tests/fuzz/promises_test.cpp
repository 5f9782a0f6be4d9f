#include "tests/fuzz/promises.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle::fuzz {
namespace promises_test {

class Promises : public testing::Test {
 protected:
  void SetUp() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
};

TEST_F(Promises, ARefusalNamesProblemsThatATerminalCanShow) {
  EXPECT_NO_THROW(check_refusal(InputError("f:1", "is \"é\"", "write \"e\"")));
  EXPECT_THROW(check_refusal(InputError(std::vector<Problem>{})), Defect);
  EXPECT_THROW(check_refusal(InputError("f:1", "")), Defect);
  EXPECT_THROW(check_refusal(InputError("f:1", "two\nlines")), Defect);
  EXPECT_THROW(check_refusal(InputError("f:1", "is \"\x1b[31m\"")), Defect);
}

TEST_F(Promises, OnlyARefusalIsAWayOut) {
  EXPECT_TRUE(reads([] {}));
  EXPECT_FALSE(reads([] { throw InputError("f:1", "is wrong"); }));
  EXPECT_THROW(reads([] { throw EnvironmentError("no file"); }), EnvironmentError);
}

TEST_F(Promises, AStepTakesFiniteTime) {
  const Graph graph = load_model("alexnet");
  Cluster cluster = load_cluster("dgx-1-v100");
  EXPECT_NO_THROW(check_engine(graph, cluster, parse_strategy("data:2")));
  cluster.levels.front().uplink.latency = Seconds{std::numeric_limits<double>::infinity()};
  EXPECT_THROW(check_engine(graph, cluster, parse_strategy("data:2")), Defect);
}

}  // namespace promises_test
}  // namespace oracle::fuzz
