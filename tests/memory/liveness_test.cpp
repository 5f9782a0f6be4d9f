#include "oracle/memory/liveness.h"

#include <gtest/gtest.h>

#include "oracle/graph/kinds/kind.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/memory/footprint.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace liveness_test {

/// One point as "pass layer activations+gradients" in bytes.
std::vector<std::string> points(const Graph& graph, std::string_view strategy, std::int64_t batch,
                                std::size_t stage = 0) {
  std::vector<std::string> lines;
  for (const LivePoint& point : liveness(graph, plan_of(graph, strategy, batch), stage).points) {
    lines.push_back(std::string(point.pass == Pass::forward ? "forward " : "backward ") +
                    graph[point.layer].name + ' ' +
                    std::to_string(static_cast<int>(point.activations.value)) + '+' +
                    std::to_string(static_cast<int>(point.gradients.value)));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Liveness, KeepsWhatBackwardNeedsAndNoMore) {
  // One sample; features 10, 20, 30. The dense layers keep their inputs, the loss its scores.
  EXPECT_EQ(points(dense_chain({10, 20, 30}), "serial", 1),
            (Lines{"forward fc1 120+0", "forward fc2 240+0", "forward loss 244+0",
                   "backward loss 240+120", "backward fc2 120+200", "backward fc1 40+80"}));
}

TEST(Liveness, ReluOverwritesItsInputAndItsOutputGradient) {
  EXPECT_EQ(points(dense_chain({10, 20, 30}, true), "serial", 1),
            (Lines{"forward fc1 120+0", "forward relu1 120+0", "forward fc2 240+0",
                   "forward loss 244+0", "backward loss 240+120", "backward fc2 120+200",
                   "backward relu1 120+80", "backward fc1 40+80"}));
}

TEST(Liveness, ReluMayNotOverwriteWhatOthersNeed) {
  // silu keeps its input, so the relu beside it makes a tensor of its own.
  GraphBuilder builder("net");
  const LayerId fc =
      builder.add("fc", "dense", {builder.input(shape_of(10))}, {{"features", std::int64_t{20}}});
  const LayerId silu = builder.add("silu", "activation", {fc}, {{"function", "silu"}});
  const LayerId relu = builder.add("relu", "activation", {fc});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {silu, relu})});
  // Input 40, then three tensors of 80; the sum overwrites silu's, and the loss keeps it.
  const Lines lines = points(builder.finish(), "serial", 1);
  EXPECT_EQ(lines[1], "forward silu 200+0");
  EXPECT_EQ(lines[2], "forward relu 280+0");
  EXPECT_EQ(lines[3], "forward sum 280+0");
}

/// What gradients of weights read waits for them: both inputs and both gradients of outputs.
TEST(Liveness, OfTwoTurnsOfBackwardKeepsWhatTheSecondReads) {
  const Graph graph = dense_chain({10, 20, 30, 40});
  const std::string strategy = "pipeline:2; micro_batches=2; stages=fc2; schedule=zb_h1";
  EXPECT_EQ(points(graph, strategy, 2, 1),
            (Lines{"forward fc2 200+0", "forward fc3 360+0", "forward loss 364+0",
                   "backward loss 360+160", "backward fc3 200+280", "backward fc2 200+360",
                   "backward fc3 200+280", "backward fc2 80+120"}));
  const Liveness alive = liveness(graph, plan_of(graph, strategy, 2), 1);
  EXPECT_EQ(alive.waiting.value, 80 + 120);
  EXPECT_EQ(alive.waiting_gradients.value, 160 + 120);
  EXPECT_EQ((alive.weights_peak.activations + alive.weights_peak.gradients).value, 480);
  EXPECT_EQ(alive.weights_peak.pass, Pass::backward_weights);
  EXPECT_EQ(alive.left.value, 0);
}

TEST(Liveness, FlattenIsAView) {
  GraphBuilder builder("net");
  LayerId last = builder.input(shape_of(2, {4, 4}));
  last = builder.add("conv", "convolution", {last}, conv1x1(2));
  last = builder.add("flatten", "flatten", {last});
  last = builder.add("fc", "dense", {last}, {{"features", std::int64_t{3}}, {"bias", false}});
  builder.add("loss", "softmax_loss", {last});
  const Lines lines = points(builder.finish(), "serial", 1);
  EXPECT_EQ(lines[0], "forward conv 256+0");
  EXPECT_EQ(lines[1], "forward flatten 256+0");
  EXPECT_EQ(lines[2], "forward fc 268+0");
}

TEST(Liveness, DropoutKeepsAByteOfMask) {
  GraphBuilder builder("net");
  LayerId last = builder.add("fc1", "dense", {builder.input(shape_of(10))},
                             {{"features", std::int64_t{20}}, {"bias", false}});
  last = builder.add("dropout", "dropout", {last});
  last = builder.add("fc2", "dense", {last}, {{"features", std::int64_t{5}}, {"bias", false}});
  builder.add("loss", "softmax_loss", {last});
  const Lines lines = points(builder.finish(), "serial", 1);
  // Input 40, fc1's output 80, dropout's 80 and 20 of mask; then fc1's output is not needed any
  // more.
  EXPECT_EQ(lines[1], "forward dropout 220+0");
  EXPECT_EQ(lines[2], "forward fc2 160+0");
}

TEST(Liveness, CopiesInOtherLayoutsCountAsWell) {
  // fc1's 16 outputs in parts of 4, and gathered for fc2; fc2's 12 in parts of 3, and gathered.
  // Gradients arrive as their consumer makes them, whole, and are parts of 3 and 4 in backward.
  EXPECT_EQ(points(dense_chain({8, 16, 12}), "filter:4", 1),
            (Lines{"forward fc1 48+0", "forward fc2 108+0", "forward loss 148+0",
                   "backward loss 144+48", "backward fc2 96+76", "backward fc1 32+16"}));
}

TEST(Liveness, AHaloMakesACopyOfItsOwn) {
  GraphBuilder builder("net");
  const LayerId conv =
      builder.add("conv", "convolution", {builder.input(shape_of(2, {8, 8}))}, conv3x3(3));
  builder.add("loss", "softmax_loss", {conv});
  // Of 2 channels 4 rows of 8 with halos, copied of 2 that are gone; of 3 filters 2 rows.
  const double rows = 2 * 8 * 4 + 3 * 8 * 2;
  EXPECT_EQ(points(builder.finish(), "height:4", 1)[0],
            "forward conv " + std::to_string(static_cast<int>(4 * rows)) + "+0");
}

TEST(Liveness, AGradientIsAsManyPartsAsConsumersUntilItIsNeeded) {
  GraphBuilder builder("net");
  const LayerId fc =
      builder.add("fc", "dense", {builder.input(shape_of(10))}, {{"features", std::int64_t{20}}});
  const LayerId one = builder.add("tanh", "activation", {fc}, {{"function", "tanh"}});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {one, fc})});
  // Backward of tanh: its own gradient, which becomes its input's, and that which the sum left for
  // fc.
  const Lines lines = points(builder.finish(), "serial", 1);
  EXPECT_EQ(lines[5], "backward sum 120+160");
  EXPECT_EQ(lines[6], "backward tanh 120+160");
  EXPECT_EQ(lines[7], "backward fc 40+80");
}

TEST(Liveness, ASumsInputsShareAGradientUntilOneIsRead) {
  GraphBuilder builder("net");
  const LayerId fc1 =
      builder.add("fc1", "dense", {builder.input(shape_of(10))}, {{"features", std::int64_t{20}}});
  const LayerId fc2 = builder.add("fc2", "dense", {fc1}, {{"features", std::int64_t{20}}});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {fc2, fc1})});
  const Lines lines = points(builder.finish(), "serial", 1);
  // 80 bytes are the sum's, then both inputs'; fc2 makes its input's beside it, which fc1 has both
  // parts of until they are added.
  const Lines backward(lines.end() - 4, lines.end());
  EXPECT_EQ(backward, (Lines{"backward loss 200+80", "backward sum 120+80", "backward fc2 120+160",
                             "backward fc1 40+80"}));
}

TEST(Liveness, SamplesAreDividedByData) {
  const Graph graph = dense_chain({10, 20, 30});
  EXPECT_EQ(points(graph, "data:4", 4), points(graph, "serial", 1));
}

TEST(Liveness, AfterAGradientStandsWhatFollowsIt) {
  // The first weight is used again by the last layer, which makes no gradient of its own.
  GraphBuilder builder("tied");
  const Attributes features{{"features", std::int64_t{8}}, {"bias", false}};
  const LayerId first = builder.add("first", "dense", {builder.input(shape_of(8))}, features);
  const LayerId second = builder.add("second", "dense", {first}, features);
  const LayerId last = builder.add("last", "dense", {second}, features);
  builder.share(last, "weight", first);
  builder.add("loss", "softmax_loss", {last});
  const Graph graph = builder.finish();
  const Liveness alive = liveness(graph, plan_of(graph, "serial", 1), 0);
  ASSERT_EQ(alive.after_gradient.size(), 2U);
  // After the second's: the input and the gradient of the first's output. After the first's: none.
  EXPECT_EQ(alive.after_gradient[0].total(), Bytes{32 + 32});
  EXPECT_EQ(alive.after_gradient[1].total(), Bytes{});
}

TEST(Liveness, AStageHoldsTheGradientThatArrives) {
  // Its backward starts from the 30 gradients that the next stage sends.
  const Graph graph = dense_chain({10, 20, 30, 40});
  const Plan plan = plan_of(graph, "pipeline:4; micro_batches=1", 1);
  ASSERT_EQ(plan.stages[1].first, id_of(graph, "fc2"));
  EXPECT_EQ(points(graph, "pipeline:4; micro_batches=1", 1, 1),
            (Lines{"forward fc2 200+0", "backward fc2 80+200"}));
}

TEST(Liveness, ResNet50KeepsConvolutionsAndRelus) {
  // Batch norm keeps the output of each convolution, and each relu its own, which overwrites that
  // of batch norm or of the sum; but for the four projections, whose outputs only enter a sum. Of
  // each maximum a byte says where it lay.
  const Graph resnet = load_model(ORACLE_SOURCE_DIR "/models/resnet50.json");
  double convolutions = 0;
  for (const Layer& layer : resnet.layers) {
    if (layer.kind->name == "convolution") {
      convolutions += static_cast<double>(layer.output.elements());
    }
  }
  EXPECT_NEAR(convolutions, 11.1e6, 0.05e6);  // Radosavovic et al., CVPR 2020, table of complexity
  const double projections = 256 * 56 * 56 + 512 * 28 * 28 + 1024 * 14 * 14 + 2048 * 7 * 7;
  const double input = 3 * 224 * 224, max_pool = 64 * 56 * 56, features = 2048, scores = 1000;
  const double kept = 2 * convolutions - projections + input + max_pool + features + scores;
  EXPECT_EQ(liveness(resnet, plan_of(resnet, "serial", 64), 0).kept.value,
            64 * (4 * kept + max_pool));
}

TEST(Liveness, EndsWithNothing) {
  const std::vector<const char*> models = {"alexnet", "resnet18", "googlenet", "mobilenet_v2"};
  for (const char* name : models) {
    const Graph graph = load_model(std::string(ORACLE_SOURCE_DIR "/models/") + name + ".json");
    for (const char* strategy :
         {"serial", "data:4", "filter:4", "height:2", "tensor:2", "pipeline:4"}) {
      const Plan plan = plan_of(graph, strategy, 16);
      for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const Liveness alive = liveness(graph, plan, s);
        EXPECT_EQ(alive.left.value, 0) << name << ' ' << strategy;
        double least = 0;
        for (const LivePoint& point : alive.points) {
          least = std::min({least, point.activations.value, point.gradients.value});
        }
        EXPECT_EQ(least, 0) << name << ' ' << strategy;
        EXPECT_EQ(transient_bytes(graph, plan, s).back().value, 0);
        EXPECT_EQ(transient_bytes(graph, plan, s).size(), alive.points.size() + 1);
      }
    }
  }
}

}  // namespace liveness_test
}  // namespace oracle
