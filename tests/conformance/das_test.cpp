// Das et al., "Distributed deep learning using synchronous stochastic gradient descent", arXiv
// 1602.06709: compute against communication per layer in fp32, with ov = 1 (what is received passes
// under what is sent, so an exchange of S bytes costs S·(2 − ov) = S).
//
//   data parallel    3·2·ifm·ofm·kw·kh·ow·oh·MB FLOP over 4·ifm·ofm·kw·kh B = 1.5·ow·oh·MB FLOP/B
//   model parallel   moves less than data parallel where ofm·kw·kh > iw·ih·MB
//   G groups of N/G  V(G) = 2·4·ifm·iw·ih·MB/G + 4·ifm·ofm·kw·kh·G/N,
//                    least at G = sqrt(2·N·MB·iw·ih/(ofm·kw·kh))
//
// Its volumes are sizes of tensors, the buffers of our transfers. MB is the mini-batch of all nodes
// in the last two and of a node in the first.

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace das_test {

constexpr std::int64_t kFeatures = 4096;

struct Layered {
  std::int64_t channels, features, side, kernel, stride;
};

Graph convolution_of(const Layered& shape) {
  GraphBuilder builder("one");
  const LayerId read = builder.input(shape_of(shape.channels, {shape.side, shape.side}));
  builder.add("conv", "convolution", {read},
              {{"features", shape.features},
               {"kernel", shape.kernel},
               {"stride", shape.stride},
               {"pad", shape.kernel / 2},
               {"bias", false}});
  builder.add("loss", "softmax_loss", {1});
  return builder.finish();
}

Bytes moved(const Plan& plan, std::initializer_list<Payload> payloads) {
  Bytes sum;
  for (const Item& item : plan.stages.front().items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr) continue;
    for (const Payload payload : payloads) {
      if (transfer->payload == payload) sum += transfer->bytes;
    }
  }
  return sum;
}

TEST(Das, DataParallelRatioDependsOnPositionsAndBatchOnly) {
  constexpr std::int64_t kNodes = 8, kPerNode = 4;
  for (const Layered& shape : {Layered{64, 64, 56, 3, 1}, Layered{64, 256, 56, 1, 1},
                               Layered{3, 96, 112, 7, 2}, Layered{512, 48, 56, 5, 1}}) {
    const Graph graph = convolution_of(shape);
    const Plan plan = plan_of(graph, "data:8", kNodes * kPerNode);
    const Layer& layer = graph[1];
    const double flops = layer.flops(Pass::forward) + layer.flops(Pass::backward_data) +
                         layer.flops(Pass::backward_weights);
    const double ratio = flops * static_cast<double>(plan.pieces[1].samples) /
                         moved(plan, {Payload::weight_gradient}).value;
    EXPECT_DOUBLE_EQ(ratio, 1.5 * 56 * 56 * kPerNode) << to_text(layer.output);
  }
}

/// Bytes of one layer's input gathered when the layer before is cut by filter. The chain gathers
/// two tensors of that size.
Bytes gathered_input(const Graph& graph, std::int64_t batch) {
  return moved(plan_of(graph, "filter:8", batch), {Payload::activation}) / 2.0;
}

TEST(Das, ModelParallelMovesLessUpToAsManySamplesAsFeatures) {
  const Graph graph = dense_chain({kFeatures, kFeatures, kFeatures});
  const Bytes gradients = moved(plan_of(graph, "data:8", 256), {Payload::weight_gradient}) / 2.0;
  EXPECT_EQ(gradients, Bytes{4.0 * kFeatures * kFeatures});
  EXPECT_LT(gathered_input(graph, kFeatures / 2), gradients);
  EXPECT_EQ(gathered_input(graph, kFeatures), gradients);
  EXPECT_GT(gathered_input(graph, 2 * kFeatures), gradients);
}

/// Volume of the second of two dense layers with `groups` groups of nodes/groups.
double hybrid_volume(std::int64_t nodes, std::int64_t groups, std::int64_t batch) {
  const Graph graph = dense_chain({kFeatures, kFeatures, kFeatures});
  const std::string cut = "data:" + std::to_string(groups) +
                          ",filter:" + std::to_string(nodes / groups) + "; bucket=1 B";
  const Plan plan = plan_of(graph, cut, batch);
  Bytes sum;
  for (const Item& item : plan.stages.front().items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr) continue;
    const bool weights = transfer->payload == Payload::weight_gradient;
    if (transfer->layer == id_of(graph, weights ? "fc2" : "fc1")) sum += transfer->bytes;
  }
  return sum.value;
}

double closed_form(double nodes, double groups, double batch) {
  return 2 * 4 * kFeatures * batch / groups + 4.0 * kFeatures * kFeatures * groups / nodes;
}

TEST(Das, HybridVolumeIsTheClosedFormBetweenTheExtremes) {
  for (const std::int64_t groups : {2, 4, 8, 16, 32}) {
    EXPECT_DOUBLE_EQ(hybrid_volume(64, groups, 256),
                     closed_form(64, static_cast<double>(groups), 256))
        << groups;
  }
  // With one group there is nothing to exchange, with groups of one nothing to gather.
  EXPECT_DOUBLE_EQ(hybrid_volume(64, 1, 256), 2.0 * 4 * kFeatures * 256);
  EXPECT_DOUBLE_EQ(hybrid_volume(64, 64, 256), 4.0 * kFeatures * kFeatures);
}

// sqrt(2·64·256/4096) = 2.83: of the groups that divide 64 nodes its neighbours 2 and 4 tie
// exactly, since 2·4 = 2.83², and all others move more.
TEST(Das, SixtyFourNodesAreBestInAboutThreeGroups) {
  const double best = std::sqrt(2.0 * 64 * 256 / kFeatures);
  EXPECT_NEAR(best, 2.83, 0.005);
  const double least = hybrid_volume(64, 2, 256);
  EXPECT_DOUBLE_EQ(hybrid_volume(64, 4, 256), least);
  for (const std::int64_t groups : {1, 8, 16, 32, 64}) {
    EXPECT_GT(hybrid_volume(64, groups, 256), least) << groups;
  }
}

// Twice the samples: sqrt(2·64·512/4096) = 4 groups, strictly.
TEST(Das, TwiceTheSamplesMoveTheOptimumToFourGroups) {
  const double least = hybrid_volume(64, 4, 512);
  for (const std::int64_t groups : {1, 2, 8, 16, 32, 64}) {
    EXPECT_GT(hybrid_volume(64, groups, 512), least) << groups;
  }
}

}  // namespace das_test
}  // namespace oracle
