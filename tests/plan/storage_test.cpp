#include "oracle/plan/storage.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace memory_storage_test {

/// conv1 3x3 3→24, conv2 3x3 24→40, each row of pixels its own position.
Graph two_convolutions() {
  GraphBuilder builder("two");
  LayerId last = builder.input(shape_of(3, {8, 8}));
  last = builder.add("conv1", "convolution", {last}, conv3x3(24));
  last = builder.add("conv2", "convolution", {last}, conv3x3(40));
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {last})});
  return builder.finish();
}

std::int64_t stored(const Graph& graph, std::string_view strategy, std::string_view layer,
                    std::int64_t block) {
  const LayerId id = id_of(graph, layer);
  return stored_weights(graph[id], plan_of(graph, strategy, 2).pieces[id], block);
}

TEST(Storage, FillsUpTheChannelsOfPositions) {
  EXPECT_EQ(stored_channels(12, shape_of(24, {8, 8}), 16), 16);
  EXPECT_EQ(stored_channels(32, shape_of(32, {8, 8}), 16), 32);
  EXPECT_EQ(stored_channels(12, shape_of(24, {8, 8}), 1), 12);
  EXPECT_EQ(stored_channels(12, shape_of(24), 16), 12) << "one position";
}

TEST(Storage, FillsUpFiltersAndChannelsOfAWeight) {
  const Graph graph = two_convolutions();
  EXPECT_EQ(stored(graph, "channel:2", "conv2", 1), 12 * 40 * 9);
  EXPECT_EQ(stored(graph, "channel:2", "conv2", 16), 16 * 48 * 9);
  EXPECT_EQ(stored(graph, "filter:2", "conv2", 16), 32 * 32 * 9);
  EXPECT_EQ(stored(graph, "filter:2", "conv1", 16), 3 * 16 * 9) << "the input is as it came";
}

TEST(Storage, FillsUpGroupsOfOneChannelAlone) {
  GraphBuilder builder("grouped");
  LayerId last = builder.input(shape_of(24, {8, 8}));
  const auto in_groups = [](std::int64_t groups) -> Attributes {
    return {{"features", std::int64_t{24}},
            {"kernel", std::int64_t{3}},
            {"pad", std::int64_t{1}},
            {"bias", false},
            {"groups", groups}};
  };
  last = builder.add("depthwise", "convolution", {last}, in_groups(24));
  last = builder.add("grouped", "convolution", {last}, in_groups(2));
  builder.add("loss", "softmax_loss", {builder.add("flat", "flatten", {last})});
  const Graph graph = builder.finish();
  EXPECT_EQ(stored(graph, "serial", "depthwise", 16), 32 * 9);
  EXPECT_EQ(stored(graph, "serial", "grouped", 16), 24 * 12 * 9);
}

TEST(Storage, FillsUpTheFiltersOfAMatrixProduct) {
  EXPECT_EQ(stored(dense_chain({12, 20}), "serial", "fc1", 16), 12 * 32);
}

TEST(Storage, IsThePlansForEveryTensorButItsInput) {
  const Graph graph = two_convolutions();
  Plan plan = plan_of(graph, "filter:2", 2);
  const LayerId conv1 = id_of(graph, "conv1");
  const Layout cut = plan.pieces[conv1].output_layout;
  EXPECT_EQ(bytes_in(graph, plan, conv1, cut).value, 4 * 2 * 12 * 64);
  plan.channel_block = 16;
  EXPECT_EQ(bytes_in(graph, plan, conv1, cut).value, 4 * 2 * 16 * 64);
  EXPECT_EQ(bytes_in(graph, plan, 0, Layout{}).value, 4 * 2 * 3 * 64);
}

}  // namespace memory_storage_test
}  // namespace oracle
