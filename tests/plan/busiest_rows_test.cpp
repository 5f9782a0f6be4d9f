#include "oracle/plan/busiest_rows.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "oracle/base/error.h"
#include "tests/plan/tiny_experts.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace busiest_rows_test {

const Piece& piece_of_experts(const Graph& graph, const Plan& plan) {
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (graph[id].routed == Routed::expert) return plan.pieces[id];
  }
  throw std::runtime_error("no experts");
}

std::int64_t rows(const char* strategy) {
  const Graph graph = experts();
  return piece_of_experts(graph, plan_of(graph, strategy, 4)).input[Axis::sequence];
}

// 32 · 1/(25/12) = 15.36, rounded up.
TEST(BusiestRows, AreThoseOfTheRankWithMost) {
  EXPECT_EQ(rows("expert:4"), 8);
  EXPECT_EQ(rows("expert:4; expert_load=zipf:1"), 16);
  EXPECT_EQ(rows("expert:4; expert_load=1.5"), 12);
  EXPECT_EQ(rows("expert:2; expert_load=1,1,2,4"), 24);
  EXPECT_EQ(rows("expert:4; expert_load=4"), 16) << "as many as there are tokens";
  EXPECT_EQ(rows("data:4; expert_load=zipf:1"), 32) << "all rows are there";
}

double all_to_all(const char* strategy) {
  const Graph graph = experts();
  const Plan plan = plan_of(graph, strategy, 4);
  double bytes = 0;
  for (const Item& item : plan.stages[0].items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || transfer->collective != Collective::all_to_all) continue;
    bytes += transfer->bytes.value;
  }
  return bytes;
}

/// Four of them, of 8 rows of 64 numbers for each of 4 ranks' samples.
TEST(BusiestRows, AreSentAndSentBack) {
  EXPECT_EQ(all_to_all("expert:4"), 4 * 4 * 8 * 64 * 4);
  EXPECT_EQ(all_to_all("expert:4; expert_load=1.5"), 1.5 * 4 * 4 * 8 * 64 * 4);
  EXPECT_DOUBLE_EQ(all_to_all("expert:2,expert:2; token_groups=all; expert_load=1.5"),
                   1.5 * all_to_all("expert:2,expert:2; token_groups=all"));
}

/// What arrives: 8 rows of 64 numbers of 4 samples.
TEST(BusiestRows, AreHeld) {
  const Graph graph = experts();
  const auto held = [&](const char* strategy) {
    const Plan plan = plan_of(graph, strategy, 4);
    for (const Item& item : plan.stages[0].items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer == nullptr || transfer->collective != Collective::all_to_all) continue;
      return plan.stages[0].tensors[plan.stages[0].writes_of(item).front()].bytes.value;
    }
    return 0.0;
  };
  EXPECT_EQ(held("expert:4"), 4 * 8 * 64 * 4);
  EXPECT_EQ(held("expert:4; expert_load=1.5"), 4 * 12 * 64 * 4);
}

TEST(BusiestRows, LoadsAreThoseOfTheNetworksExperts) {
  EXPECT_THROW(rows("expert:4; expert_load=1,2,3"), InputError);
}

/// Of 6 tokens of 8 features with 2 of 4 experts each, 12 rows: 4 of each with room for a third
/// more.
Graph with_capacity() {
  GraphBuilder net("routed");
  Shape text;
  text[Axis::channel] = 8;
  text[Axis::sequence] = 6;
  const LayerId x = net.input(text);
  const LayerId scores = net.add("scores", "dense", {x}, {{"features", std::int64_t{4}}});
  const LayerId sent =
      net.add("dispatch", "dispatch", {x, scores},
              {{"per_token", std::int64_t{2}}, {"capacity_percent", std::int64_t{130}}});
  const LayerId made = net.add("experts", "expert_dense", {sent},
                               {{"experts", std::int64_t{4}}, {"features", std::int64_t{8}}});
  net.add("combine", "combine", {made, scores}, {{"per_token", std::int64_t{2}}});
  net.add("loss", "mean_squared_loss", {net.so_far().size() - 1});
  return net.finish();
}

TEST(BusiestRows, AreNoMoreThanACapacity) {
  const Graph graph = with_capacity();
  const Plan even = plan_of(graph, "expert:2", 4);
  const Plan loaded = plan_of(graph, "expert:2; expert_load=zipf:2", 4);
  EXPECT_EQ(piece_of_experts(graph, even).input, piece_of_experts(graph, loaded).input);
  EXPECT_EQ(piece_of_experts(graph, even).input[Axis::sequence], 8);
}

}  // namespace busiest_rows_test
}  // namespace oracle
