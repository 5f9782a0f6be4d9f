#include "oracle/graph/adapters.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace adapters_test {

const Layer& named(const Graph& graph, const std::string& name) {
  return graph[id_of(graph, name)];
}

/// r·(inputs + outputs) of each linear: 32 blocks of q and o 4096→4096, k and v 4096→1024, gate and
/// up 4096→14336 and down 14336→4096.
TEST(Adapters, WorkedNumber) {
  const Graph graph = load_model("llama3_8b");
  const Graph adapted = with_adapters(graph, 16);
  const std::int64_t of_block = 16 * (2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336));
  EXPECT_EQ(adapted.learned_parameters(), 32 * of_block);
  EXPECT_EQ(adapted.learned_parameters(), 41943040);
  EXPECT_EQ(adapted.parameters(), graph.parameters() + 41943040);
  EXPECT_EQ(adapted.size(), graph.size() + 4 * 32 * 7);
}

TEST(Adapters, StandBehindTheirProduct) {
  const Graph adapted = with_adapters(load_model("gpt_tiny"), 8, "layers.0.q");
  const Layer& sum = named(adapted, "layers.0.q.lora_sum");
  const Layer& first = named(adapted, "layers.0.q.lora_a");
  EXPECT_EQ(adapted[sum.inputs[0]].name, "layers.0.q");
  EXPECT_EQ(adapted[sum.inputs[1]].name, "layers.0.q.lora_scale");
  EXPECT_EQ(first.inputs, named(adapted, "layers.0.q").inputs);
  EXPECT_EQ(first.output.channels(), 8);
  EXPECT_TRUE(first.learns());
  EXPECT_TRUE(first.stays_whole);
  EXPECT_FALSE(named(adapted, "layers.0.q").learns());
  const std::vector<LayerId>& readers =
      adapted.consumers[static_cast<std::size_t>(&sum - adapted.layers.data())];
  EXPECT_FALSE(readers.empty());
}

/// A head that shares its table with an embedding goes on to do so.
TEST(Adapters, SharedWeightsStayShared) {
  const Graph graph = load_model("gpt2"), adapted = with_adapters(graph, 4);
  EXPECT_EQ(adapted.parameters() - adapted.learned_parameters(), graph.parameters());
  EXPECT_EQ(adapted.runs.size(), graph.runs.size());
  EXPECT_EQ(adapted.runs.front().count, graph.runs.front().count);
}

TEST(Adapters, RefuseWhatIsNotThere) {
  const Graph graph = load_model("gpt_tiny");
  EXPECT_THROW(with_adapters(graph, 8, "*.norm1"), InputError);
  EXPECT_THROW(with_adapters(load_model("resnet50"), 8), InputError) << "its one makes scores";
  EXPECT_THROW(training_only(graph, "nothing"), InputError);
  EXPECT_THROW(training_only(graph, "*.attention"), InputError) << "it has no weights";
}

TEST(Adapters, OnlyWhatMatchesLearns) {
  const Graph graph = load_model("resnet50");
  const Graph tuned = training_only(graph, "fc");
  EXPECT_EQ(tuned.learned_parameters(), 2048 * 1000 + 1000);
  EXPECT_EQ(tuned.parameters(), graph.parameters());
  const std::vector<bool> needs = needs_gradient(tuned);
  EXPECT_EQ(std::count(needs.begin(), needs.end(), true), 2) << "the layer itself and the loss";
}

TEST(Adapters, AreAskedForByTheCommandLine) {
  ModelOverrides overrides;
  overrides.lora = "8:*.q|*.v";
  EXPECT_EQ(load_model("gpt_tiny", overrides).learned_parameters(),
            with_adapters(load_model("gpt_tiny"), 8, "*.q|*.v").learned_parameters());
  overrides.lora = "0";
  EXPECT_THROW(load_model("gpt_tiny", overrides), InputError);
  overrides.lora = "8";
  overrides.train = "*";
  EXPECT_THROW(load_model("gpt_tiny", overrides), InputError);
}

}  // namespace adapters_test
}  // namespace oracle
