#include "validate/data/initial_weights.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace initial_weights_test {

ParameterSlice whole_slice() {
  ParameterSlice slice;
  slice.whole_rows = 64;
  slice.whole_columns = 16;
  slice.inner = 9;
  slice.rows = {0, 64};
  slice.columns = {0, 16};
  return slice;
}

Layer wide_layer() {
  Layer layer;
  layer.input[Axis::channel] = 16;
  layer.window.kernel = {1, 3, 3};
  layer.reduction = 144;
  layer.weights = {{"weight", 64 * 144, true, true}, {"bias", 64, true, false}};
  return layer;
}

TEST(InitialWeights, ASliceHoldsWhatTheWholeHolds) {
  ParameterSlice part = whole_slice();
  part.rows = {10, 20};
  part.columns = {3, 7};
  const std::vector<float> all = initial_values(wide_layer(), 5, 0, whole_slice(), 1);
  const std::vector<float> some = initial_values(wide_layer(), 5, 0, part, 1);
  for (std::int64_t i = 0; i < part.elements(); ++i) {
    EXPECT_EQ(some[static_cast<std::size_t>(i)],
              all[static_cast<std::size_t>(part.global_index(i))]);
  }
}

TEST(InitialWeights, VarianceIsTwoOverFanIn) {
  double squares = 0;
  const std::vector<float> values = initial_values(wide_layer(), 5, 0, whole_slice(), 1);
  for (const float value : values) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(squares / static_cast<double>(values.size()), 2.0 / 144, 0.05 * 2.0 / 144);
}

TEST(InitialWeights, ScalesAreOneAndShiftsZero) {
  const Graph graph = residual_network();
  const LayerId id = id_of(graph, "conv1_norm");
  ParameterSlice slice;
  slice.rows = {0, 8};
  slice.columns = {0, 1};
  EXPECT_EQ(initial_values(graph[id], id, 0, slice, 1), std::vector<float>(8, 1));
  EXPECT_EQ(initial_values(graph[id], id, 1, slice, 1), std::vector<float>(8, 0));
}

/// Rows of a table have the size of what is normalized, places next to none, and scales begin at 1.
TEST(InitialWeights, OfTrainedTensorsThatAreNoContractions) {
  const Graph graph = network_of_file("text");
  const auto drawn = [&](std::string_view name) {
    const LayerId id = id_of(graph, name);
    ParameterSlice slice;
    slice.inner = graph[id].weights[0].elements;
    slice.rows = slice.columns = {0, 1};
    return initial_values(graph[id], id, 0, slice, 1);
  };
  const auto deviation = [](const std::vector<float>& values) {
    double squares = 0;
    for (const float value : values) squares += static_cast<double>(value) * value;
    return std::sqrt(squares / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(deviation(drawn("words")), 1, 0.15);
  EXPECT_NEAR(deviation(drawn("places")), 0.02, 0.004);
  EXPECT_EQ(drawn("by_position"), std::vector<float>(11, 1));
}

}  // namespace initial_weights_test
}  // namespace oracle
