#include <gtest/gtest.h>

#include "oracle/plan/emit.h"
#include "oracle/plan/lifetimes.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace sharing_test {

/// What the layer "sum" of the first stage gives two inputs at once, by their names.
std::string shared_in(const Graph& graph, std::string_view strategy) {
  const Plan plan = plan_of(graph, strategy, 4);
  const auto pair =
      shared_gradient(graph, plan, plan.stages.front(), needs_gradient(graph), id_of(graph, "sum"));
  return pair ? graph[pair->first].name + " " + graph[pair->second].name : "none";
}

TEST(SharedGradient, IsThatOfASumsTwoInputs) {
  EXPECT_EQ(shared_in(residual_block("batch_norm"), "serial"), "branch conv1");
  EXPECT_EQ(shared_in(residual_block(""), "serial"), "conv2 conv1");
  EXPECT_EQ(shared_in(residual_block("batch_norm"), "data:2"), "branch conv1");
  EXPECT_EQ(shared_in(residual_block("batch_norm"), "height:2"), "branch conv1");
  EXPECT_EQ(shared_in(residual_block(""), "filter:2"), "conv2 conv1");
}

TEST(SharedGradient, IsNoneWhereTheFirstToReadItWouldOverwriteIt) {
  EXPECT_EQ(shared_in(residual_block("activation"), "serial"), "none");
  EXPECT_EQ(shared_in(residual_block("batch_norm", true), "serial"), "none")
      << "it has another reader";
}

TEST(SharedGradient, IsNoneWhereTheFirstToReadItNeedsItOtherwise) {
  EXPECT_EQ(shared_in(residual_block(""), "height:2"), "none")
      << "a convolution fetches rows of it";
}

/// Of the first layer to read it and what the other's gradient is summed in, the storages.
TEST(SharedGradient, IsNotAddedToWhereItIsReadLater) {
  const std::string later = "pipeline:2; micro_batches=2; stages=loss; schedule=";
  const Graph graph = residual_block("");
  for (const char* schedule : {"1f1b", "zb_h1"}) {
    EXPECT_EQ(shared_in(graph, later + schedule), "conv2 conv1");
    const Plan plan = plan_of(graph, later + schedule, 4);
    const Stage& stage = plan.stages.front();
    int sums = 0;
    for (const Item& item : stage.items) {
      const auto* work = std::get_if<Work>(&item.what);
      if (work == nullptr || work->pass != Pass::gradient_sum) continue;
      ++sums;
      const TensorId into = stage.reads_of(item)[0], term = stage.reads_of(item)[1];
      const bool overwrites = stage.tensors[into].made_by < stage.tensors[term].made_by;
      EXPECT_EQ(overwrites, schedule == std::string_view("1f1b"));
    }
    EXPECT_EQ(sums, 1);
  }
}

/// Two sums read conv1: what both give it would be read later.
TEST(SharedGradient, OfTwoSumsIsNoneWhereItIsReadLater) {
  GraphBuilder builder("two_sums");
  const LayerId conv1 =
      builder.add("conv1", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv3x3(8));
  const LayerId conv2 = builder.add("conv2", "convolution", {conv1}, conv3x3(8));
  const LayerId conv3 = builder.add("conv3", "convolution", {conv1}, conv3x3(8));
  const LayerId sum = builder.add("sum", "add", {conv2, conv1});
  const LayerId other = builder.add("other", "add", {conv3, conv1});
  const LayerId both = builder.add("both", "multiply", {sum, other});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {both})});
  const Graph graph = builder.finish();
  const std::string strategy = "pipeline:2; micro_batches=2; stages=loss; schedule=";
  EXPECT_EQ(shared_in(graph, strategy + "1f1b"), "conv2 conv1");
  EXPECT_EQ(shared_in(graph, strategy + "zb_h1"), "none");
}

TEST(SharedGradient, OfOneTensorTwiceIsNone) {
  GraphBuilder builder("twice");
  const LayerId conv =
      builder.add("conv", "convolution", {builder.input(shape_of(4, {8, 8}))}, conv3x3(8));
  const LayerId sum = builder.add("sum", "add", {conv, conv});
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {sum})});
  EXPECT_EQ(shared_in(builder.finish(), "serial"), "none");
}

}  // namespace sharing_test
}  // namespace oracle
