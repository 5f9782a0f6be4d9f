#include "validate/program/parameters.h"

#include <gtest/gtest.h>
#include <map>

#include "tests/plan/tiny_graphs.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace parameters_test {

TEST(Parameters, WorkedExample) {
  ParameterSlice slice;
  slice.whole_rows = 6;
  slice.whole_columns = 4;
  slice.inner = 9;
  slice.rows = {3, 6};
  slice.columns = {0, 4};
  EXPECT_EQ(slice.elements(), 108);
  EXPECT_EQ(slice.global_index(0), 108);
}

/// How often each element of each parameter is held, over all ranks.
std::map<std::string, std::vector<int>> holders(const Graph& graph, const Plan& plan) {
  std::map<std::string, std::vector<int>> counts;
  const Pieces pieces(graph, plan, plan.micro_batch_samples());
  for (LayerId id = 1; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    for (const Weight& weight : layer.weights) {
      counts[layer.name + ' ' + weight.name].assign(static_cast<std::size_t>(weight.elements), 0);
    }
    for (int rank = 0; rank < static_cast<int>(plan.ranks()); ++rank) {
      const std::vector<ParameterSlice> slices = parameter_slices(pieces, id, rank);
      for (std::size_t p = 0; p < slices.size(); ++p) {
        std::vector<int>& count = counts[layer.name + ' ' + layer.weights[p].name];
        for (std::int64_t i = 0; i < slices[p].elements(); ++i) {
          ++count.at(static_cast<std::size_t>(slices[p].global_index(i)));
        }
      }
    }
  }
  return counts;
}

constexpr std::string_view kAttention = "attention";

class EveryCut : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryCut, EveryElementIsHeldEquallyOften) {
  for (const Graph& graph :
       {uneven_network(), residual_network(), volume_network(), network_of_file("attention")}) {
    // Two axes have no parts of its two heads (tests/plan/refusals_test.cpp).
    const bool splits_heads = graph.name == kAttention && GetParam() == "filter:2,channel:2";
    if (splits_heads) continue;
    for (const auto& [name, counts] : holders(graph, plan_of(graph, GetParam(), 4))) {
      EXPECT_GE(counts.front(), 1) << graph.name << ' ' << name;
      for (const int count : counts) EXPECT_EQ(count, counts.front()) << graph.name << ' ' << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parameters, EveryCut,
                         testing::Values("data:2", "filter:2", "channel:2", "tensor:2", "filter:3",
                                         "filter:2,channel:2", "data:2,tensor:2"));

/// 16 elements for each of 16 channels: rank 1 of 2 has those of channels 8 to 15.
TEST(Parameters, ATrainedTensorIsCutWithTheChannelsItBelongsTo) {
  const Graph graph = network_of_file("attention");
  const Plan plan = plan_of(graph, "filter:2", 4);
  const Pieces pieces(graph, plan, 4);
  const auto slices = parameter_slices(pieces, id_of(graph, "places"), 1);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].elements(), 128);
  EXPECT_EQ(slices[0].global_index(0), 128);
  EXPECT_EQ(slices[0].global_index(127), 255);
}

/// 4 matrices of 20x24: rank 1 of 2 has those of experts 2 and 3.
TEST(Parameters, ExpertsAreHeldWhole) {
  const Graph graph = network_of_file("moe");
  const Plan plan = plan_of(graph, "expert:2", 4);
  const Pieces pieces(graph, plan, 4);
  const auto slices = parameter_slices(pieces, id_of(graph, "layers.0.experts.up"), 1);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].elements(), 2 * 20 * 24);
  EXPECT_EQ(slices[0].global_index(0), 2 * 20 * 24);
  EXPECT_EQ(slices[0].global_index(959), 4 * 20 * 24 - 1);
}

/// Features 10 to 19 of 20 of each expert.
TEST(Parameters, ExpertsAreCutByFeatures) {
  const Graph graph = network_of_file("moe");
  const Plan plan = plan_of(graph, "tensor:2; loss=whole:2", 4);
  const Pieces pieces(graph, plan, 4);
  const auto slices = parameter_slices(pieces, id_of(graph, "layers.0.experts.up"), 1);
  EXPECT_EQ(slices[0].elements(), 4 * 10 * 24);
  EXPECT_EQ(slices[0].global_index(0), 10 * 24);
  EXPECT_EQ(slices[0].global_index(240), 20 * 24 + 10 * 24);
}

TEST(Parameters, OneRankOfASumHoldsTheBias) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "channel:2", 4);
  const Pieces pieces(graph, plan, 4);
  EXPECT_TRUE(holds_bias(pieces, id_of(graph, "conv2"), 0));
  EXPECT_FALSE(holds_bias(pieces, id_of(graph, "conv2"), 1));
  EXPECT_TRUE(holds_bias(pieces, id_of(graph, "conv1"), 1));  // left whole, not summed
}

}  // namespace parameters_test
}  // namespace oracle
