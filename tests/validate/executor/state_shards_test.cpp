#include "validate/executor/state_shards.h"

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "validate/program/bind.h"

namespace oracle {
namespace state_shards_test {

// 5 features of 2 and no bias: 10 parameters over 4 ranks.
TEST(StateShards, AreEqualPartsInPlainOrderTheLastFilledUp) {
  const Graph graph = dense_chain({2, 5});
  const Plan plan = plan_of(graph, "data:4; zero=3", 4);
  run_ranks(4, [&](Communicator& communicator) {
    const auto backend = make_cpu_backend(1);
    const Program program = bind(Pieces(graph, plan, 4), communicator.rank());
    const TrainedLayers trained(graph, program, *backend, 1, 0);
    const LayerId id = program.trained.front().layer;
    std::vector<float> before(10), after(10);
    trained.find(id)->read(0, before.data());
    const RankGroups groups = make_groups(plan, Mesh(plan.degrees), false, communicator);
    StateShards shards(plan, program, trained, *backend, communicator, groups, groups);
    EXPECT_EQ(shards.part(id), 3);
    EXPECT_EQ(shards.all_parts(id), 12);
    const std::int64_t begin = 3 * communicator.rank();
    EXPECT_EQ(shards.held(id, 0), (Interval{begin, std::min<std::int64_t>(begin + 3, 10)}));

    ASSERT_EQ(program.gathers.size(), 2U);
    EXPECT_EQ(shards.gather(program.gathers[0]), 3 * 3 * 4);
    trained.find(id)->read(0, after.data());
    EXPECT_EQ(after, before);
    const std::int64_t whole = backend->memory().now;
    shards.release(program.gathers[0]);
    EXPECT_EQ(whole - backend->memory().now, 10 * 4);

    const std::vector<float> ones(10, 1.0F);
    trained.find(id)->write_gradient(0, ones.data());
    EXPECT_EQ(shards.scatter({program.gathers[0].axes, {id}}), 3 * 3 * 4);
    const auto held = static_cast<std::size_t>(shards.held(id, 0).size());
    EXPECT_EQ(shards.gradient(id, 0), std::vector<float>(held, 4.0F));
  });
}

}  // namespace state_shards_test
}  // namespace oracle
