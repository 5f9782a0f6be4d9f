#include "oracle/memory/workspace.h"

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace workspace_test {

/// The worked number, and what forward wants where channels lie in blocks.
TEST(Workspace, IsForKernelsThatUnfoldTheirInput) {
  GraphBuilder builder("net");
  LayerId last = builder.input(shape_of(4, {64, 64}));
  last = builder.add("conv1", "convolution", {last}, conv3x3(8));
  last = builder.add("conv2", "convolution", {last}, conv3x3(16));
  builder.add("loss", "softmax_loss", {last});
  const Graph graph = builder.finish();
  Plan plan = plan_of(graph, "serial", 2);
  const LayerId conv2 = id_of(graph, "conv2");
  const auto room = [&](Pass pass) { return workspace(graph, plan, conv2, pass).value; };
  EXPECT_EQ(room(Pass::forward), 256.0 * 1024);
  plan.channel_block = 16;
  EXPECT_EQ(room(Pass::forward), 0);
  EXPECT_EQ(room(Pass::backward_data), 4.0 * 16 * 16 * 9) << "the weights, exchanged, in blocks";
  EXPECT_EQ(room(Pass::backward_weights), 0);
}

/// The head of gpt_tiny multiplies by the table of its embedding, 256 rows of 64.
TEST(Workspace, HoldsATableInTheOrderOfAProduct) {
  const Graph graph = load_model("gpt_tiny");
  Plan plan = plan_of(graph, "serial", 2);
  const auto room = [&](const char* layer, Pass pass) {
    return workspace(graph, plan, id_of(graph, layer), pass).value;
  };
  for (const Pass pass : {Pass::forward, Pass::backward_weights}) {
    plan.channel_block = 1;
    EXPECT_EQ(room("head", pass), 0);
    plan.channel_block = 16;
    EXPECT_EQ(room("head", pass), 4 * 256 * 64);
    EXPECT_EQ(room("embed", pass), 0);
  }
  EXPECT_EQ(room("head", Pass::backward_data), 4 * 256 * 64);
}

/// An LSTM 4 → 8 over 5 tokens of 2 samples: 80 outputs, of which backward holds four gradients
/// each, and 2·8 states and cells.
TEST(Workspace, OfARecurrentLayerHoldsTheGradientsOfItsGates) {
  GraphBuilder builder("net");
  const LayerId lstm =
      builder.add("lstm", "recurrent", {builder.input(shape_of(4, {5}))}, {{"features", 8}});
  builder.add("loss", "softmax_loss", {lstm});
  const Graph graph = builder.finish();
  const Plan plan = plan_of(graph, "serial", 2);
  EXPECT_DOUBLE_EQ(workspace(graph, plan, lstm, Pass::forward).value, 4 * 2 * 8);
  for (const Pass pass : {Pass::backward_data, Pass::backward_weights}) {
    EXPECT_DOUBLE_EQ(workspace(graph, plan, lstm, pass).value, 4 * (4 * 80 + 2 * 2 * 8));
  }
}

/// Of 12 weights in bf16.
TEST(Workspace, OfMainGradientsIsTheOneThatIsAdded) {
  const Graph graph = dense_chain({4, 3});
  Training training = training_of(8, "bf16");
  const auto room = [&](const char* strategy) {
    const Plan plan = plan_of(graph, strategy, training);
    return workspace(graph, plan, 1, Pass::backward_weights).value;
  };
  EXPECT_EQ(room("serial"), 0);
  EXPECT_EQ(room("serial; micro_batches=2"), 2 * 12);
  training.state.gradients = 4;
  training.run_by({});
  EXPECT_EQ(room("serial"), 2 * 12);
  EXPECT_EQ(room("serial; micro_batches=2"), 2 * 12);
  EXPECT_EQ(room("data:2; zero=2"), 0) << "it stands among the tensors";
}

}  // namespace workspace_test
}  // namespace oracle
