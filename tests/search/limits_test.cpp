// The limits of each way to cut on known networks: p ≤ B, p ≤ min F, p ≤ min C, p ≤ extents, p ≤
// layers (Kahira et al., HPDC 2021, table 3), with the layer that sets each.

#include <gtest/gtest.h>
#include <map>

#include "oracle/io/models/model_reader.h"
#include "oracle/search/scale.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace search_limits_test {

std::map<Cut, CutLimit> limits_of(const Graph& graph, std::int64_t batch,
                                  const Cluster& cluster = flat_cluster()) {
  std::map<Cut, CutLimit> limits;
  for (const CutLimit& limit : cut_limits(graph, cluster, training_of(batch))) {
    limits[limit.cut] = limit;
  }
  return limits;
}

Graph model(const std::string& name) {
  return load_model(ORACLE_SOURCE_DIR "/models/" + name + ".json");
}

void expect_limit(const CutLimit& limit, std::int64_t most, const std::string& subject) {
  EXPECT_EQ(limit.most, most);
  EXPECT_EQ(limit.subject, subject);
}

TEST(Limits, OfVgg16) {
  const Graph vgg16 = model("vgg16");
  const auto limits = limits_of(vgg16, 64);
  expect_limit(limits.at(Cut::sample), 64, "batch");
  expect_limit(limits.at(Cut::filter), 64, "layer conv1_1");
  expect_limit(limits.at(Cut::channel), 64, "layer conv1_2");
  expect_limit(limits.at(Cut::alternate), 64, "layer conv1_1");
  expect_limit(limits.at(Cut::height), 7, "layer pool5");
  expect_limit(limits.at(Cut::width), 7, "layer pool5");
  expect_limit(limits.at(Cut::pipeline), vgg16.size() - 1, "network vgg16");
  // 16 ranks are a grid of 4×4, 64 would be 8×8 on the 7×7 of pool5; 32 leave 4×8.
  expect_limit(limits.at(Cut::spatial), 16, "layer pool5");
  EXPECT_EQ(limits.count(Cut::depth), 0U);
  EXPECT_EQ(limits.at(Cut::filter).rule, "p ≤ min filters");
}

TEST(Limits, OfResNet50) {
  const Graph resnet50 = model("resnet50");
  const auto limits = limits_of(resnet50, 256);
  expect_limit(limits.at(Cut::sample), 256, "batch");
  expect_limit(limits.at(Cut::filter), 64, "layer conv1");
  EXPECT_EQ(limits.at(Cut::channel).most, 64);
  expect_limit(limits.at(Cut::pipeline), resnet50.size() - 1, "network resnet50");
  // The last blocks have 7 rows.
  EXPECT_EQ(limits.at(Cut::height).most, 7);
}

TEST(Limits, OfANetworkOfVolumes) {
  const auto limits = limits_of(model("cosmoflow"), 4);
  EXPECT_EQ(limits.count(Cut::depth), 1U);
  EXPECT_EQ(limits.at(Cut::depth).most, limits.at(Cut::height).most);
  EXPECT_GE(limits.at(Cut::spatial).most, 8);
}

TEST(Limits, OfAFlatNetworkLeaveOutPositions) {
  const auto limits = limits_of(dense_chain({64, 32, 16, 8}), 128);
  EXPECT_EQ(limits.count(Cut::spatial), 0U);
  EXPECT_EQ(limits.count(Cut::height), 0U);
  expect_limit(limits.at(Cut::filter), 8, "layer fc3");
  expect_limit(limits.at(Cut::channel), 16, "layer fc3");
  expect_limit(limits.at(Cut::pipeline), 4, "network chain");
}

TEST(Limits, ADegreeMoreIsRefusedAndNoLessIs) {
  const Graph vgg16 = model("vgg16");
  for (const auto& [cut, limit] : limits_of(vgg16, 64)) {
    if (cut == Cut::spatial || cut == Cut::pipeline) continue;
    Strategy strategy;
    strategy.micro_batches = 1;
    strategy.mesh = {{limit.most, cut}};
    EXPECT_TRUE(
        std::holds_alternative<Plan>(partition(vgg16, strategy, training_of(64), flat_cluster())));
    strategy.mesh = {{limit.most + 1, cut}};
    EXPECT_TRUE(std::holds_alternative<Infeasible>(
        partition(vgg16, strategy, training_of(64), flat_cluster())));
  }
}

TEST(Limits, SayHowFarMemoryGoes) {
  // 2048² weights and their gradients are 33.6 MB; every halving of the weights halves that.
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{20e6};
  const auto limits = limits_of(dense_chain({2048, 2048}), 8, cluster);
  EXPECT_EQ(limits.at(Cut::sample).most_in_memory, 0);
  EXPECT_EQ(limits.at(Cut::filter).most_in_memory, 2048);
}

}  // namespace search_limits_test
}  // namespace oracle
