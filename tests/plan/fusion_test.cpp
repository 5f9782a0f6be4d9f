#include "oracle/plan/fusion.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace plan_fusion_test {

using Names = std::vector<std::string>;

Cluster fusing_cluster() {
  Cluster cluster = flat_cluster();
  cluster.device.fusions.fill(true);
  return cluster;
}

Plan planned(const Graph& graph, std::string_view strategy, const Cluster& cluster) {
  return std::get<Plan>(partition(graph, parse_strategy(strategy), training_of(8), cluster));
}

/// conv1 → relu1 → conv2 → relu2 → loss
Graph two_convolutions(std::string_view function = "relu") {
  GraphBuilder builder("two");
  LayerId last = builder.input(shape_of(4, {8, 8}));
  for (const char* number : {"1", "2"}) {
    last = builder.add(std::string("conv") + number, "convolution", {last}, conv3x3(8));
    last = builder.add(std::string("relu") + number, "activation", {last},
                       {{"function", std::string(function)}});
  }
  last = builder.add("fc", "dense", {builder.add("flat", "flatten", {last})},
                     {{"features", std::int64_t{4}}});
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

Names fused(const Graph& graph, const Plan& plan) {
  Names names;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (plan.is_fused(id)) names.push_back(graph[id].name);
  }
  return names;
}

Names fused(const Graph& graph, std::string_view strategy) {
  return fused(graph, planned(graph, strategy, fusing_cluster()));
}

TEST(Fusion, TakesARectifierIntoTheContractionBeforeIt) {
  const Graph graph = two_convolutions();
  for (const char* strategy : {"serial", "data:2", "filter:2", "height:2,width:2"}) {
    EXPECT_EQ(fused(graph, strategy), (Names{"relu1", "relu2"})) << strategy;
  }
  EXPECT_EQ(fused(dense_chain({8, 8, 8, 4}, true), "data:2"), (Names{"relu1", "relu2"}));
}

TEST(Fusion, WaitsForNoTransfer) {
  // The first convolution reads the network's input, which is there whole.
  EXPECT_EQ(fused(two_convolutions(), "channel:2"), Names{"relu1"});
  EXPECT_EQ(fused(two_convolutions(), "conv1=filter:2; conv2=channel:2"), Names{"relu1"});
  EXPECT_EQ(fused(two_convolutions(), "conv*=filter:2; relu1=data:2"), Names{"relu2"});
}

TEST(Fusion, EndsWhereAStageDoes) {
  const Graph graph = two_convolutions();
  Plan plan = planned(graph, "pipeline:2", fusing_cluster());
  const LayerId relu2 = id_of(graph, "relu2");
  plan.stages[0].last = plan.stages[1].first = relu2;
  plan.fused = fused_layers(graph, plan, fusing_cluster().device.fusions);
  EXPECT_EQ(fused(graph, plan), Names{"relu1"});
  plan.stages[0].last = plan.stages[1].first = relu2 + 1;
  plan.fused = fused_layers(graph, plan, fusing_cluster().device.fusions);
  EXPECT_EQ(fused(graph, plan), (Names{"relu1", "relu2"}));
}

TEST(Fusion, DoesNotDependOnTheOrderOfBranches) {
  GraphBuilder builder("branches");
  const LayerId input = builder.input(shape_of(4, {8, 8}));
  const LayerId left = builder.add("left", "convolution", {input}, conv3x3(4));
  const LayerId right = builder.add("right", "convolution", {input}, conv3x3(4));
  const LayerId one = builder.add("relu_left", "activation", {left});
  const LayerId other = builder.add("relu_right", "activation", {right});
  const LayerId sum = builder.add("sum", "add", {one, other});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {sum})});
  EXPECT_EQ(fused(builder.finish(), "serial"), (Names{"relu_left", "relu_right"}));
}

TEST(Fusion, NeedsTheOnlyReaderToBeARectifier) {
  EXPECT_EQ(fused(two_convolutions("silu"), "serial"), Names{});
  EXPECT_EQ(fused(two_convolutions("sigmoid"), "serial"), Names{});
  GraphBuilder builder("read twice");
  const LayerId conv =
      builder.add("conv", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv3x3(4));
  const LayerId relu = builder.add("relu", "activation", {conv});
  const LayerId sum = builder.add("sum", "add", {relu, conv});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {sum})});
  EXPECT_EQ(fused(builder.finish(), "serial"), Names{});
}

TEST(Fusion, IsTheDevicesAndTheStrategys) {
  const Graph graph = two_convolutions();
  EXPECT_EQ(fused(graph, planned(graph, "serial", flat_cluster())), Names{});
  EXPECT_EQ(fused(graph, "serial; fusion=off"), Names{});
  Cluster of_dense = flat_cluster();
  of_dense.device.fusions[static_cast<std::size_t>(Fusion::dense_activation)] = true;
  EXPECT_EQ(fused(graph, planned(graph, "serial", of_dense)), Names{});
  const Graph chain = dense_chain({8, 8, 4}, true);
  EXPECT_EQ(fused(chain, planned(chain, "serial", of_dense)), Names{"relu1"});
}

TEST(Fusion, AFusedLayerHasNoItemInForwardAndAllOfThemInBackward) {
  const Graph graph = dense_chain({8, 8, 4}, true);
  const Plan plan = planned(graph, "serial", fusing_cluster());
  EXPECT_EQ(works(graph, plan),
            (Names{"forward fc1", "forward fc2", "forward loss", "backward_data loss",
                   "backward_data fc2", "backward_weights fc2", "backward_data relu1",
                   "backward_weights fc1", "update all"}));
  const LayerId fc1 = id_of(graph, "fc1"), relu1 = id_of(graph, "relu1");
  EXPECT_EQ(computed_in(graph, plan, relu1), fc1);
  EXPECT_EQ(computes_up_to(graph, plan, fc1), relu1);
  EXPECT_EQ(computes_up_to(graph, plan, relu1), relu1);
  const Item& second = plan.stages[0].items[1];
  EXPECT_EQ(plan.stages[0].needs_of(second).front(), 0U) << "fc2 needs what fc1's kernel left";
}

/// conv → norm → relu1, and with what was read a sum → relu2 → loss
Graph residual_block() {
  GraphBuilder builder("block");
  const LayerId input =
      builder.add("stem", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv3x3(4));
  LayerId last = builder.add("conv", "convolution", {input}, conv3x3(4));
  last = builder.add("norm", "batch_norm", {last});
  last = builder.add("relu1", "activation", {last});
  last = builder.add("sum", "add", {last, input});
  last = builder.add("relu2", "activation", {last});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {last})});
  return builder.finish();
}

TEST(Fusion, TakesARectifierIntoABatchNormOrASum) {
  const Graph graph = residual_block();
  EXPECT_EQ(fused(graph, "serial"), (Names{"relu1", "relu2"}));
  Cluster of_processors = flat_cluster();
  of_processors.device.fusions = fusions_of_kernels(DeviceClass::cpu);
  EXPECT_EQ(fused(graph, planned(graph, "serial", of_processors)), Names{});
}

/// No item, no tensor that is kept for it, and what it would have read goes to the batch norm.
TEST(Fusion, BehindABatchNormARectifierHasNoItemInBackward) {
  const Graph graph = residual_block();
  const Plan plan = planned(graph, "serial", fusing_cluster());
  EXPECT_EQ(works(graph, plan),
            (Names{"forward stem", "forward conv", "forward norm", "forward sum", "forward flat",
                   "forward loss", "backward_data loss", "backward_data flat",
                   "backward_data relu2", "backward_data sum", "backward_data norm",
                   "backward_weights norm", "backward_data conv", "backward_weights conv",
                   "gradient_sum stem", "backward_weights stem", "update all"}));
  const LayerId relu1 = id_of(graph, "relu1"), relu2 = id_of(graph, "relu2");
  EXPECT_TRUE(is_fused_backward(graph, plan, relu1));
  EXPECT_FALSE(is_fused_backward(graph, plan, relu2));
  EXPECT_FALSE(keeps_output(graph, plan, relu1));
  EXPECT_TRUE(keeps_output(graph, plan, relu2));
  const Plan apart = planned(graph, "serial; fusion=off", fusing_cluster());
  EXPECT_FALSE(is_fused_backward(graph, apart, relu1));
  EXPECT_TRUE(keeps_output(graph, apart, relu1));
}

/// A gradient that is still to be converted between the two would be rectified where it is not
/// whole.
TEST(Fusion, BehindABatchNormWantsOneLayoutOfTheGradientToo) {
  const Graph graph = residual_block();
  Plan plan = planned(graph, "data:2", fusing_cluster());
  const LayerId norm = id_of(graph, "norm");
  ASSERT_EQ(fused(graph, plan), (Names{"relu1", "relu2"}));
  plan.pieces[norm].gradient_layout[0] = State::replicated;
  plan.fused = fused_layers(graph, plan, fusing_cluster().device.fusions);
  EXPECT_EQ(fused(graph, plan), Names{"relu2"});
}

/// conv → norm, and with what was read a sum → relu → loss
Graph sum_behind_a_norm(bool read_twice = false) {
  GraphBuilder builder("block");
  const LayerId input =
      builder.add("stem", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv3x3(4));
  const LayerId conv = builder.add("conv", "convolution", {input}, conv3x3(4));
  const LayerId norm = builder.add("norm", "batch_norm", {conv});
  const LayerId sum = builder.add("sum", "add", {norm, input});
  LayerId last = builder.add("relu", "activation", {sum});
  if (read_twice) last = builder.add("again", "add", {last, norm});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {last})});
  return builder.finish();
}

Names in_norms(const Graph& graph, bool fuses_sums, std::string_view strategy = "serial") {
  Training training = training_of(8);
  training.framework.half_fuses_sums = fuses_sums;
  const Plan plan =
      std::get<Plan>(partition(graph, parse_strategy(strategy), training, fusing_cluster()));
  Names names;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (plan.pieces[id].in_norm) names.push_back(graph[id].name);
  }
  return names;
}

TEST(Fusion, SomeFrameworksAddAndRectifyInTheKernelOfABatchNorm) {
  EXPECT_EQ(in_norms(sum_behind_a_norm(), true), (Names{"sum", "relu"}));
  EXPECT_EQ(in_norms(sum_behind_a_norm(), false), Names{});
  EXPECT_EQ(in_norms(sum_behind_a_norm(), true, "serial; fusion=off"), Names{});
  EXPECT_EQ(in_norms(sum_behind_a_norm(true), true), Names{}) << "another reads the norm";
  EXPECT_EQ(in_norms(residual_block(), true), Names{}) << "the sum reads no norm";
}

}  // namespace plan_fusion_test
}  // namespace oracle
