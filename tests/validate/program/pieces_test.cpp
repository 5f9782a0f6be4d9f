#include "validate/program/pieces.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace pieces_test {

constexpr std::size_t kHeight = 1, kWidth = 2;

TEST(Pieces, HoldWhatTheirLayoutSays) {
  const Graph graph = plain_network();  // 3×8×8, conv1 4×8×8, conv2 8×4×4
  const Plan plan = plan_of(graph, "data:2,height:2", 4);
  const Pieces pieces(graph, plan, 4);
  const LayerId conv2 = id_of(graph, "conv2");
  EXPECT_EQ(pieces.output(conv2, 3).extents(), (Extents{2, 8, 1, 2, 4}));
  EXPECT_EQ(pieces.output(conv2, 3).begin(), (Extents{2, 0, 0, 2, 0}));
  EXPECT_EQ(pieces.input(conv2, 0, 3).extents(), (Extents{2, 4, 1, 4, 8}));
  EXPECT_TRUE(pieces.cuts(conv2, kHeight));
  EXPECT_FALSE(pieces.cuts(conv2, kWidth));
  EXPECT_EQ(axes_along(pieces.effects(conv2), kHeight), 0b10U);
}

TEST(Pieces, GrowByTheHalosTheyRead) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "height:2,width:2", 4);
  const Pieces pieces(graph, plan, 4);
  // 3×3, stride 2, pad 1: outputs [2, 4) read inputs [3, 8); only the later slab reads across.
  const LayerId conv2 = id_of(graph, "conv2");
  EXPECT_EQ(pieces.halo_axes(conv2, Pass::forward), (std::vector<std::size_t>{kHeight, kWidth}));
  EXPECT_EQ(pieces.read(conv2, Pass::forward, kHeight, 3), (Interval{3, 8}));
  EXPECT_EQ(pieces.with_halos(conv2, Pass::forward, 1U << kHeight, 3).extents(),
            (Extents{4, 4, 1, 5, 4}));
  EXPECT_EQ(pieces.with_halos(conv2, Pass::forward, 1U << kHeight | 1U << kWidth, 3).extents(),
            (Extents{4, 4, 1, 5, 5}));
  EXPECT_EQ(pieces.read(conv2, Pass::forward, kHeight, 0), (Interval{0, 4}));
  // Backward the earlier slab's inputs [0, 4) are touched by outputs [0, 3).
  EXPECT_EQ(pieces.read(conv2, Pass::backward_data, kHeight, 0), (Interval{0, 3}));
}

TEST(Pieces, AFurtherInputIsASecondText) {
  GraphBuilder net("masked");
  Shape text;
  text[Axis::channel] = 8;
  text[Axis::sequence] = 6;
  const LayerId x = net.input(text);
  const LayerId made = net.add("dense", "dense", {x}, {{"features", std::int64_t{8}}});
  const LayerId mask = net.add("mask", "further_input", {x}, {{"features", std::int64_t{8}}});
  net.add("sum", "add", {made, mask});
  net.add("loss", "mean_squared_loss", {net.so_far().size() - 1});
  const Graph graph = net.finish();
  const Plan plan = plan_of(graph, "serial", 4);
  EXPECT_THROW(Pieces(graph, plan, 4), InputError);
  const Graph texts = network_of_file("t5");
  EXPECT_TRUE(is_second_text(texts, id_of(texts, "decoder_input")));
  EXPECT_FALSE(is_second_text(texts, id_of(texts, "decoder_embed")));
}

/// Of tokens that go to 2 of 4 experts.
Graph routed(std::int64_t joined, std::int64_t experts) {
  GraphBuilder net("routed");
  Shape text;
  text[Axis::channel] = 8;
  text[Axis::sequence] = 6;
  const LayerId x = net.input(text);
  const LayerId scores = net.add("scores", "dense", {x}, {{"features", std::int64_t{4}}});
  const LayerId rows =
      net.add("dispatch", "dispatch", {x, scores}, {{"per_token", std::int64_t{2}}});
  const LayerId made = net.add("experts", "expert_dense", {rows},
                               {{"experts", experts}, {"features", std::int64_t{8}}});
  net.add("combine", "combine", {made, scores}, {{"per_token", joined}});
  net.add("loss", "mean_squared_loss", {net.so_far().size() - 1});
  return net.finish();
}

TEST(Pieces, RowsGoBackTheWayTheyCame) {
  const Graph right = routed(2, 4), other_tokens = routed(3, 4), other_experts = routed(2, 3);
  const Plan plan = plan_of(right, "serial", 4);
  EXPECT_NO_THROW(Pieces(right, plan, 4));
  EXPECT_THROW(Pieces(other_tokens, plan, 4), InputError);
  EXPECT_THROW(Pieces(other_experts, plan, 4), InputError);
}

TEST(Pieces, SayWhichWaysNoRankGoes) {
  const Graph gpt = load_model("gpt_tiny"), moe = load_model("moe_tiny");
  const auto refusal = [](const Graph& graph, const char* strategy) -> std::string {
    const Plan plan = plan_of(graph, strategy, 8);
    try {
      Pieces(graph, plan, 8);
    } catch (const InputError& error) {
      return error.problems().front().message;
    }
    return {};
  };
  EXPECT_EQ(refusal(gpt, "ring:2"), "");
  EXPECT_EQ(refusal(gpt, "data:2; micro_batches=2; sync=micro_batch"),
            "no rank sums a whole gradient in each micro-batch");
  EXPECT_EQ(refusal(gpt, "data:2; backup=1"), "ranks here wait for all gradients");
  EXPECT_EQ(refusal(gpt, "data:2; offload=activations"),
            "offload is priced, not executed: a rank here has one memory");
  EXPECT_EQ(refusal(gpt, "tensor_sequence:2; tensor_overlap=on"),
            "tensor_overlap is priced, not executed: products here are whole");
  EXPECT_EQ(refusal(moe, "expert:2; token_groups=1"),
            "no rank sends a token once to a group of experts yet");
  EXPECT_EQ(refusal(moe, "expert:2; micro_batches=2; expert_overlap=on"),
            "expert_overlap is priced, not executed: a rank here runs one turn at a time");
  EXPECT_EQ(refusal(moe, "expert:2; expert_load=1.5"),
            "every expert gets an even share of rows here: a token goes to the best of its experts "
            "that have room");
  EXPECT_EQ(refusal(moe, "expert:2; expert_load=uniform"), "");
  EXPECT_EQ(refusal(moe, "expert:2"), "");
}

TEST(Pieces, RowsAreWeightedBehindExperts) {
  const Graph moe = load_model("moe_tiny");
  Training training = training_of(8);
  training.framework.weights_rows_early = true;
  const Plan plan = plan_of(moe, "expert:2", training);
  EXPECT_THROW(Pieces(moe, plan, 8), InputError);
}

TEST(Pieces, SayThatNoKernelMultipliesInFewerBits) {
  const Graph gpt = load_model("gpt_tiny");
  Plan plan = plan_of(gpt, "serial", 8);
  plan.training.precision = precision_named("fp8");
  try {
    Pieces(gpt, plan, 8);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().message, "no kernel here multiplies in fp8 yet");
  }
}

}  // namespace pieces_test
}  // namespace oracle
