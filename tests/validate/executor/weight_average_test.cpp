#include "validate/executor/weight_average.h"

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "validate/program/bind.h"

namespace oracle {
namespace weight_average_test {

TEST(WeightAverage, IsTheMeanOfAllRanks) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "data:4; exchange=local:3", 4);
  run_ranks(4, [&](Communicator& communicator) {
    const auto backend = make_cpu_backend(1);
    const Program program = bind(Pieces(graph, plan, 4), communicator.rank());
    ASSERT_EQ(program.averages.size(), 1U);
    EXPECT_EQ(program.averages[0].every, 3);
    EXPECT_TRUE(program.buckets.empty());
    const TrainedLayers trained(graph, program, *backend, 1, 0);
    const RankGroups groups = make_groups(plan, Mesh(plan.degrees), true, communicator);
    Weights& weights = *trained.find(1);
    std::vector<float> values(32, static_cast<float>(communicator.rank() + 1));
    weights.write(0, values.data());
    const double sent =
        average_weights(program.averages[0], trained, *backend, communicator, groups);
    EXPECT_EQ(sent, 2 * 0.75 * 40 * 4);
    weights.read(0, values.data());
    EXPECT_EQ(values, std::vector<float>(32, 2.5F));
  });
}

}  // namespace weight_average_test
}  // namespace oracle
