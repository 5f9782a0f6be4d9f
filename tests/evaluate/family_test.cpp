#include "oracle/evaluate/family.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace family_test {

using enum PipelineSchedule;

TEST(Family, SharesWhatIsNotExchange) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  const Profile profile;
  Family family({graph, cluster, profile});
  ASSERT_EQ(family.plan(parse_strategy("data:8"), training_of(256)), nullptr);
  const Stage& stage = family.plan().stages[0];
  EXPECT_EQ(stage.backward_end.items, 392U);
  EXPECT_EQ(stage.items.size() - stage.backward_end.items, 5U);
}

TEST(Family, SaysWhyItCannotBePlanned) {
  const Graph graph = dense_chain({64, 24});
  const Cluster cluster = flat_cluster();
  const Profile profile;
  Family family({graph, cluster, profile});
  const Infeasible* refusal = family.plan(parse_strategy("filter:64"), training_of(8));
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->constraint, Constraint::filters);
  EXPECT_EQ(family.plan(parse_strategy("filter:8"), training_of(8)), nullptr);
}

TEST(Family, MemoryFollowsBucketsAndSchedule) {
  const Graph graph = load_model("vgg16");
  const Cluster cluster = load_cluster("abci");
  const Profile profile;
  Family family({graph, cluster, profile});
  ASSERT_EQ(family.plan(parse_strategy("data:4,pipeline:2; micro_batches=8; stages=conv5_1"),
                        training_of(256)),
            nullptr);
  const auto total_with = [&](double bucket, PipelineSchedule schedule) {
    family.choose({Bytes{bucket}, "auto", true, schedule});
    return family.memory().total();
  };
  EXPECT_GT(total_with(1e9, one_f_one_b), total_with(1e6, one_f_one_b));
  EXPECT_GT(total_with(1e6, gpipe), total_with(1e6, one_f_one_b));
}

}  // namespace family_test
}  // namespace oracle
