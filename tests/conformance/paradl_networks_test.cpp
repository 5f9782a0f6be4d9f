// Are the graphs that the plans are derived from ParaDL's own networks?

#include <gtest/gtest.h>

#include "tests/conformance/paradl.h"
#include "tests/graph/one_layer.h"

namespace oracle::paradl {
namespace paradl_networks_test {

TEST(ParadlNetworks, HaveTheListsShapesAndWeights) {
  std::size_t compared = 0;
  for (const Network& network : networks()) {
    for (const Operation& operation : network.operations) {
      if (operation.layer == 0) continue;
      const Layer& layer = network.graph[operation.layer];
      const std::vector<std::int64_t> extents(operation.output.begin() + 1, operation.output.end());
      EXPECT_EQ(layer.output, shape_of(operation.output[0], extents)) << layer.name;
      EXPECT_EQ(layer.parameters(), operation.weights()) << layer.name;
      ++compared;
    }
  }
  // 20 AlexNet, 38 VGG16, 166 ResNet-50 less the 4 additions after a change of shape, 2×25
  // CosmoFlow.
  EXPECT_EQ(compared, 20U + 38U + 162U + 50U);
}

// Sums over the published lists (7×7 and 3×3 windows on images of 226×226, 512³ for CosmoFlow).
TEST(ParadlNetworks, HaveThePublishedTotals) {
  const std::vector<Network> all = networks();
  EXPECT_EQ(network_of(all, "alexnet", "3x226x226").graph.parameters(), 62'367'776);
  EXPECT_EQ(network_of(all, "vgg16", "3x226x226").graph.parameters(), 169'801'408);
  EXPECT_EQ(network_of(all, "resnet50", "3x226x226").graph.parameters(), 22'734'016);
  EXPECT_EQ(network_of(all, "cosmoflow", "4x512x512x512").graph.parameters(), 2'128'064);
}

TEST(ParadlNetworks, WindowsFollowFromTheExtents) {
  const std::vector<Network> all = networks();
  const Network& resnet = network_of(all, "resnet50", "3x226x226");
  const Window& window = resnet.graph[resnet.operations.front().layer].window;
  EXPECT_EQ(window.stride[1], 2);
  EXPECT_EQ(window.pad_before[1], 3);
  EXPECT_EQ(window.pad_after[1], 2);
}

}  // namespace paradl_networks_test
}  // namespace oracle::paradl
