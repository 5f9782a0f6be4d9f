#include "oracle/plan/layout/dealt.h"

#include <array>
#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "oracle/plan/assignment.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace dealt_test {

using Runs = std::vector<Positions>;

Runs part(std::int64_t r, std::int64_t of, std::int64_t extent, std::int64_t dealt) {
  const std::array one = {Positions{r * extent / of, (r + 1) * extent / of}};
  return dealt_positions(one, extent, dealt);
}

TEST(Dealt, PartsLieAtBothEnds) {
  EXPECT_EQ(part(0, 2, 8, 2), (Runs{{0, 2}, {6, 8}}));
  EXPECT_EQ(part(1, 2, 8, 2), (Runs{{2, 6}}));
  EXPECT_EQ(dealt_positions(std::array{Positions{1, 6}}, 8, 2), (Runs{{1, 4}, {6, 8}}));
  EXPECT_EQ(part(1, 4, 32, 4), (Runs{{4, 8}, {24, 28}}));
}

TEST(Dealt, OnePartLiesInARow) {
  EXPECT_EQ(part(1, 2, 8, 1), (Runs{{4, 8}}));
  EXPECT_EQ(dealt_positions(std::array{Positions{5, 7}, Positions{2, 5}}, 9, 1), (Runs{{2, 7}}));
}

std::int64_t count(const Runs& runs) {
  std::int64_t sum = 0;
  for (const Positions& run : runs) sum += run.end - run.begin;
  return sum;
}

/// As many positions as in a row, whatever remains, of finer parts too; together all.
TEST(Dealt, PartsAreAsLargeAsInARow) {
  for (std::int64_t extent = 1; extent <= 40; ++extent) {
    for (std::int64_t dealt = 1; dealt <= 6; ++dealt) {
      for (const std::int64_t parts : {dealt, 2 * dealt, 3 * dealt}) {
        std::vector<int> held(static_cast<std::size_t>(extent), 0);
        for (std::int64_t r = 0; r < parts; ++r) {
          const Runs runs = part(r, parts, extent, dealt);
          EXPECT_EQ(count(runs), (r + 1) * extent / parts - r * extent / parts);
          for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_GT(runs[i].begin, runs[i - 1].end);
          for (const Positions& run : runs) {
            for (std::int64_t p = run.begin; p < run.end; ++p) ++held[static_cast<std::size_t>(p)];
          }
        }
        EXPECT_EQ(held, std::vector<int>(static_cast<std::size_t>(extent), 1));
      }
    }
  }
}

/// Pairs of a part's positions and those up to them.
std::int64_t pairs(const Runs& runs) {
  std::int64_t sum = 0;
  for (const Positions& run : runs) {
    for (std::int64_t p = run.begin; p < run.end; ++p) sum += p + 1;
  }
  return sum;
}

TEST(Dealt, PartsHaveAsManyPairsEach) {
  for (const std::int64_t parts : {2, 3, 4, 8}) {
    for (std::int64_t r = 0; r < parts; ++r) {
      EXPECT_EQ(parts * pairs(part(r, parts, 48, parts)), 48 * 49 / 2);
    }
  }
  // The last of four in a row.
  EXPECT_EQ(4 * pairs(part(3, 4, 48, 1)), 2040);
}

Graph attention(bool causal) {
  GraphBuilder builder("attention");
  Shape text = shape_of(32);
  text[Axis::sequence] = 16;
  const LayerId input = builder.input(text);
  builder.add("attention", "attention", {input, input, input},
              {{"heads", std::int64_t{4}}, {"causal", causal}});
  builder.add("loss", "softmax_loss", {1});
  return builder.finish();
}

TEST(Dealt, AreTextsOfWhichCausalAttentionHasAPart) {
  const auto axes = [](bool causal, const char* strategy) {
    const Graph graph = attention(causal);
    return dealt_axes(graph, plan_of(graph, strategy, 4).assignment);
  };
  EXPECT_EQ(axes(true, "context:2"), 0b1U);
  EXPECT_EQ(axes(true, "data:2,ring:2"), 0b10U);
  EXPECT_EQ(axes(true, "ulysses:2,context:2"), 0b10U);
  EXPECT_EQ(axes(false, "context:2"), 0U);
  const Graph gpt = load_model("gpt_tiny");
  EXPECT_EQ(dealt_axes(gpt, plan_of(gpt, "tensor_sequence:2", 4).assignment), 0U);
}

}  // namespace dealt_test
}  // namespace oracle
