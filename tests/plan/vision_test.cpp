// What transformers for images, and those of two stacks, send: tensor parallelism sums once for
// each pair of products (Shoeybi et al., arXiv 1909.08053, section 3), two or three of a block.

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace vision_test {

/// All-reduces of activations and of their gradients, and what else is sent of them.
struct Sent {
  int forward = 0, backward = 0, others = 0;
  double bytes = 0;  ///< of each all-reduce, the largest
};

Sent sent_by(const Plan& plan) {
  Sent sent;
  for (const Item& item : plan.stages.front().items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || is_of_weights(*transfer)) continue;
    if (transfer->payload == Payload::statistics) continue;
    if (transfer->collective != Collective::all_reduce) {
      ++sent.others;
      continue;
    }
    ++(item.phase == Phase::forward ? sent.forward : sent.backward);
    sent.bytes = std::max(sent.bytes, transfer->bytes.value);
  }
  return sent;
}

// 24 blocks of two sums, 24 of three, and a sum for the tables of each stack. Backward, of what the
// head reads and, once for all blocks of the decoder, of what the encoder makes.
TEST(TwoStacks, SumTwiceOrThreeTimesABlock) {
  const Graph graph = load_model("t5_large");
  const Sent sent = sent_by(plan_of(graph, "tensor:2", 8));
  EXPECT_EQ(sent.forward, 24 * 2 + 24 * 3 + 2);
  EXPECT_EQ(sent.backward, 24 * 2 + 24 * 3 + 2);
  EXPECT_EQ(sent.others, 0);
  EXPECT_EQ(sent.bytes, 8.0 * 512 * 1024 * 4);
}

// Left whole, patches make a sum of all features. The head's classes are gathered for the loss.
TEST(Patches, SumTwiceABlockWhereTheyAreWhole) {
  const Graph graph = load_model("vit_b");
  const Sent sent = sent_by(plan_of(graph, "tensor:2; patches=whole:2", 8));
  EXPECT_EQ(sent.forward, 12 * 2);
  EXPECT_EQ(sent.backward, 12 * 2 + 1);
  EXPECT_EQ(sent.others, 1);
  EXPECT_EQ(sent.bytes, 8.0 * 197 * 768 * 4);
}

// Keys and values of each block are gathered and their gradients scattered; the class token is put
// before all patches, and only it is read at the end.
TEST(Patches, AreShardedAsTokens) {
  const Graph graph = load_model("vit_b");
  const Plan plan = plan_of(graph, "context:2", 8);
  EXPECT_EQ(plan.pieces[id_of(graph, "layers.0.q")].output[Axis::sequence], 99);
  EXPECT_EQ(sent_by(plan).forward, 0);
  EXPECT_EQ(sent_by(plan).others, 12 * 4 + 2);
}

// 64 windows of 7x7: a part of the heads has their part of the table.
TEST(Windows, AreCutByHeads) {
  const Graph graph = load_model("swin_t");
  const LayerId attention = id_of(graph, "stage1.layers.0.attention");
  EXPECT_EQ(graph[attention].parameters(), 169 * 3);
  const Plan plan = plan_of(graph, "tensor:3", 8);
  EXPECT_EQ(plan.pieces[attention].redundancy, 1);
  EXPECT_EQ(plan.pieces[attention].weights, 169);
}

}  // namespace vision_test
}  // namespace oracle
