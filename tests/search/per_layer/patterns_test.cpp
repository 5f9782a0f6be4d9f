#include "oracle/search/per_layer/patterns.h"

#include <gtest/gtest.h>

#include "oracle/base/pattern.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle::per_layer {
namespace patterns_test {

/// Cuts of every contraction: the first axis' cut by `cut_of(name)`.
template <typename CutOf>
std::vector<LayerCuts> cuts_by_name(const Graph& graph, CutOf cut_of) {
  std::vector<LayerCuts> cuts;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (graph[id].mixing == Mixing::contraction) cuts.push_back({id, {cut_of(graph[id].name)}});
  }
  return cuts;
}

Strategy base_of(std::int64_t degree) {
  Strategy base;
  base.mesh = {{degree, Cut::follow}};
  return base;
}

TEST(Patterns, WriteOneWeirdTrickInOneRule) {
  const Graph alexnet = load_model("alexnet");
  const auto cuts = cuts_by_name(alexnet, [](const std::string& name) {
    return name.starts_with("fc") ? Cut::filter : Cut::sample;
  });
  EXPECT_EQ(to_text(strategy_of(alexnet, cuts, base_of(32), true)), "data:32; fc*=filter:32");
}

TEST(Patterns, NameARuleWhereAllAreCutAlikeSoThatTheRestFollows) {
  const Graph alexnet = load_model("alexnet");
  const auto cuts = cuts_by_name(alexnet, [](const std::string&) { return Cut::channel; });
  EXPECT_EQ(to_text(strategy_of(alexnet, cuts, base_of(4), true)), "channel:4; conv1=channel:4");
}

/// Brief or listed, each layer is cut as asked and no other layer is named.
TEST(Patterns, MatchTheirContractionsAndNothingElse) {
  const Graph resnet = load_model("resnet50");
  constexpr std::array<Cut, 3> kCuts = {Cut::sample, Cut::filter, Cut::channel};
  for (std::size_t salt = 1; salt < 6; ++salt) {
    const auto cuts = cuts_by_name(resnet, [&](const std::string& name) {
      return kCuts[(name.size() * salt + static_cast<std::size_t>(name[name.size() - 1]) / 2) % 3];
    });
    const Strategy brief = strategy_of(resnet, cuts, base_of(4), true);
    const Strategy listed = strategy_of(resnet, cuts, base_of(4), false);
    EXPECT_LT(to_text(brief).size(), to_text(listed).size());
    EXPECT_EQ(parse_strategy(to_text(brief)), brief);
    for (const Strategy& strategy : {brief, listed}) {
      const auto cut_of = [&](LayerId id) {
        for (const LayerRule& rule : strategy.rules) {
          if (matches(rule.pattern, resnet[id].name)) return rule.cuts[0];
        }
        return resnet[id].mixing == Mixing::contraction ? strategy.mesh[0].cut : Cut::follow;
      };
      std::size_t next = 0;
      for (LayerId id = 1; id < resnet.size(); ++id) {
        const bool asked = next < cuts.size() && cuts[next].layer == id;
        EXPECT_EQ(cut_of(id), asked ? cuts[next++].cuts[0] : Cut::follow) << resnet[id].name;
      }
    }
  }
}

TEST(Patterns, ReplaceWhatMeansSomethingElseInAStrategy) {
  GraphBuilder builder("odd");
  LayerId last = builder.input(shape_of(8));
  last = builder.add("a;b=c", "dense", {last}, {{"features", std::int64_t{8}}});
  last = builder.add("plain", "dense", {last}, {{"features", std::int64_t{8}}});
  last = builder.add("x|y", "dense", {last}, {{"features", std::int64_t{8}}});
  builder.add("loss", "softmax_loss", {last});
  const Graph graph = builder.finish();
  const auto cuts = cuts_by_name(
      graph, [](const std::string& name) { return name == "a;b=c" ? Cut::sample : Cut::filter; });
  const Strategy strategy = strategy_of(graph, cuts, base_of(2), true);
  EXPECT_EQ(to_text(strategy), "filter:2; a*b*c=data:2");
  EXPECT_EQ(parse_strategy(to_text(strategy)), strategy);
}

}  // namespace patterns_test
}  // namespace oracle::per_layer
