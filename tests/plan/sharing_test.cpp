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

/// It would be added to before the gradients of the convolution's weights are made of it.
TEST(SharedGradient, IsNoneWhereTheFirstToReadItReadsItLater) {
  const std::string later = "pipeline:2; micro_batches=2; stages=loss; schedule=zb_h1";
  EXPECT_EQ(shared_in(residual_block(""), later), "none");
  EXPECT_EQ(shared_in(residual_block("batch_norm"), later), "branch conv1");
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
