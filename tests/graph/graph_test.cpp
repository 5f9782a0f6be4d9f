#include "oracle/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/graph/kinds/kind.h"
#include "tests/graph/one_layer.h"

namespace oracle {
namespace graph_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// input → conv → relu → add(relu, conv) → flatten → fc → loss, on 3x8x8.
GraphBuilder small_network() {
  GraphBuilder builder("small");
  const LayerId input = builder.input(shape_of(3, {8, 8}));
  const LayerId conv = builder.add(
      "conv", "convolution", {input},
      {{"features", std::int64_t{4}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
  const LayerId relu = builder.add("relu", "activation", {conv});
  const LayerId add = builder.add("add", "add", {relu, conv});
  const LayerId flat = builder.add("flatten", "flatten", {add});
  const LayerId fc = builder.add("fc", "dense", {flat}, {{"features", std::int64_t{10}}});
  builder.add("loss", "softmax_loss", {fc});
  return builder;
}

TEST(Graph, AddsUpWhatItsLayersHave) {
  const Graph graph = small_network().finish();
  // conv: 4·27 + 4 = 112; fc: 256·10 + 10 = 2570
  EXPECT_EQ(graph.parameters(), 112 + 2570);
  // conv: 27·256; fc: 256·10
  EXPECT_EQ(graph.multiply_adds(), 27.0 * 256 + 2560);
  // Of the weights only conv and fc have a gradient: 2 per multiply-add and 1 per output for the
  // bias.
  EXPECT_EQ(graph.flops(Pass::backward_weights), 2 * (27.0 * 256 + 2560) + 256 + 10);
  EXPECT_EQ(graph.flops(Pass::update), 0);
  EXPECT_EQ(graph.flops(Pass::gradient_sum), 0);
}

TEST(Graph, KnowsTheReadersOfEachOutputOnce) {
  GraphBuilder builder("twice");
  const LayerId input = builder.input(shape_of(3));
  const LayerId sum = builder.add("sum", "add", {input, input});
  builder.add("loss", "mean_squared_loss", {sum});
  const Graph graph = builder.finish();
  EXPECT_THAT(graph.consumers[input], ElementsAre(sum));
  EXPECT_THAT(graph.consumers.back(), IsEmpty());
  EXPECT_THAT(small_network().finish().consumers[1], ElementsAre(2, 3));
}

TEST(GraphBuilder, KeepsTheRankOfTheNetworkWhereExtentsShrinkToOne) {
  GraphBuilder builder("shrunk");
  const LayerId input = builder.input(shape_of(8, {2, 2}));
  const LayerId pool = builder.add("pool", "pool", {input}, {{"kernel", std::int64_t{2}}});
  const LayerId conv = builder.add(
      "conv", "convolution", {pool},
      {{"features", std::int64_t{8}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
  EXPECT_EQ(builder.so_far()[conv].weights[0].elements, 8 * 8 * 9);
  EXPECT_EQ(to_text(builder.so_far()[conv].output), "8");
}

TEST(GraphBuilder, NamesTheLayerAndTheRemedy) {
  GraphBuilder builder("bad");
  const LayerId input = builder.input(shape_of(3, {8, 8}));
  EXPECT_THAT(
      message_of([&] { builder.add("c1", "convolutoin", {input}); }),
      HasSubstr("c1: there is no layer kind \"convolutoin\"; did you mean \"convolution\"?"));
  EXPECT_THAT(message_of([&] {
                builder.add("c1", "pool", {input}, {{"kernle", std::int64_t{3}}});
              }),
              HasSubstr("c1: pool has no attribute \"kernle\"; did you mean \"kernel\"?"));
  EXPECT_THAT(message_of([&] { builder.add("a", "add", {input}); }),
              HasSubstr("a: add reads at least 2 and got 1"));
  EXPECT_THAT(message_of([&] { builder.add("x", "input", {input}); }),
              HasSubstr("there is no layer kind \"input\""));
}

TEST(GraphBuilder, ReportsEveryWrongAttributeAtOnce) {
  const std::string text =
      refusal("dense", shape_of(8), {{"width", std::int64_t{1}}, {"depth", true}});
  EXPECT_THAT(text, HasSubstr("\"width\""));
  EXPECT_THAT(text, HasSubstr("\"depth\""));
}

TEST(GraphBuilder, RefusesANameUsedTwice) {
  GraphBuilder builder("bad");
  const LayerId input = builder.input(shape_of(3));
  builder.add("x", "dropout", {input});
  EXPECT_THAT(message_of([&] { builder.add("x", "dropout", {input}); }),
              HasSubstr("x: the name is used twice"));
}

TEST(GraphBuilder, RefusesTensorsAndNetworksPastTheExactIntegers) {
  const std::int64_t most = (std::int64_t{1} << 31) - 1;
  EXPECT_THAT(refusal("dense", shape_of(most), {{"features", most}}), HasSubstr("2^53"));
  EXPECT_THAT(message_of([&] {
                GraphBuilder("big").input(shape_of(most, {most, most, most}));
              }),
              HasSubstr("input: its output would have 2^53 elements"));

  GraphBuilder builder("sum");
  const LayerId input = builder.input(shape_of(std::int64_t{1} << 27));
  const Attributes half{{"features", std::int64_t{1} << 25}, {"bias", false}};
  builder.add("a", "dense", {input}, half);
  EXPECT_THAT(message_of([&] { builder.add("b", "dense", {input}, half); }),
              HasSubstr("b: the network would have 2^53 parameters"));
}

TEST(GraphBuilder, RefusesToJoinMoreThanTheExactIntegers) {
  GraphBuilder builder("join");
  const LayerId input = builder.input(shape_of((std::int64_t{1} << 53) - 1));
  EXPECT_THAT(message_of([&] { builder.add("c", "concat", std::vector<LayerId>(4096, input)); }),
              HasSubstr("c: its output would have 2^53 elements"));
}

TEST(GraphBuilder, FinishesOnlyWhatEndsInItsOneLoss) {
  GraphBuilder builder("open");
  const LayerId input = builder.input(shape_of(3));
  const LayerId loss = builder.add("loss", "softmax_loss", {input});
  builder.add("unread", "dropout", {loss});
  builder.add("last", "dropout", {loss});
  const std::string text = message_of([&] { builder.finish(); });
  EXPECT_THAT(text, HasSubstr("loss: is a loss and not the last layer"));
  EXPECT_THAT(text, HasSubstr("unread: no layer reads its output"));
  EXPECT_THAT(text, HasSubstr("last: the last layer must be a loss"));
}

TEST(Kinds, HaveNamesOfTheirOwnAndAreFoundByThem) {
  for (const Kind* kind : all_kinds()) {
    EXPECT_EQ(find_kind(kind->name), kind) << kind->name;
    EXPECT_FALSE(kind->text.empty()) << kind->name;
  }
  EXPECT_EQ(find_kind("no such kind"), nullptr);
}

TEST(Graph, FlattenedFeaturesStayTogetherUntilTheNextContraction) {
  GraphBuilder builder("grains");
  LayerId x = builder.input(shape_of(3, {8, 8}));
  x = builder.add("conv", "convolution", {x},
                  {{"features", std::int64_t{4}}, {"kernel", std::int64_t{3}}});
  x = builder.add("flat", "flatten", {x});
  x = builder.add("relu", "activation", {x});
  x = builder.add("fc", "dense", {x}, {{"features", std::int64_t{5}}});
  builder.add("loss", "softmax_loss", {x});
  const Graph graph = builder.finish();
  for (const Layer& layer : graph.layers) {
    const bool flat = layer.name == "flat" || layer.name == "relu";
    EXPECT_EQ(layer.grain, flat ? graph[1].output.positions() : 1) << layer.name;
  }
}

}  // namespace graph_test
}  // namespace oracle
