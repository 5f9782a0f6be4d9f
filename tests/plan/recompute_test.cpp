#include "oracle/plan/recompute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/memory/liveness.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace recompute_test {

using testing::HasSubstr;

TEST(Recomputation, TakesABlockAtATime) {
  const Graph graph = load_model("gpt_tiny");
  const Recomputation full = recomputation(graph, "full");
  ASSERT_EQ(full.segments.size(), 2U);
  for (const LayerSpan& segment : full.segments) {
    EXPECT_EQ(segment.last - segment.first, 11U);
    EXPECT_TRUE(full.covers(segment.first) && full.covers(segment.last));
  }
  EXPECT_FALSE(full.covers(1));
  EXPECT_FALSE(full.covers(graph.size() - 1));
}

TEST(Recomputation, TakesThePartOfAPattern) {
  const Graph graph = load_model("gpt_tiny");
  const Recomputation some = recomputation(graph, "*.act|layers.1.norm1");
  EXPECT_EQ(some.segments.size(), 2U);
  EXPECT_EQ(some.segments[0].first, some.segments[0].last);
  EXPECT_EQ(graph[some.segments[1].first].name, "layers.1.norm1");
  EXPECT_EQ(graph[some.segments[1].last].name, "layers.1.act");
}

TEST(Recomputation, TakesAllButAPattern) {
  const Graph graph = load_model("gpt_tiny");
  const Recomputation most = recomputation(graph, "except:*.q|*.down");
  ASSERT_EQ(most.segments.size(), 2U);
  EXPECT_EQ(most.segments[1].first, recomputation(graph, "full").segments[1].first);
  for (LayerId id = 1; id < graph.size(); ++id) {
    const std::string& name = graph[id].name;
    EXPECT_EQ(most.keeps(id), name.ends_with(".q") || name.ends_with(".down")) << name;
  }
  EXPECT_FALSE(recomputation(graph, "full").keeps(5));
  EXPECT_THROW(recomputation(graph, "except:conv*"), InputError);
}

TEST(Recomputation, RefusesWhatMeansNothing) {
  try {
    recomputation(load_model("gpt_tiny"), "conv*");
    FAIL() << "no layer has such a name";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("recompute=conv* means no layer of a block"));
  }
}

TEST(Recomputation, SelectiveMeansNothingWhereAttentionIsOneKernel) {
  EXPECT_TRUE(recomputation(load_model("gpt_tiny"), "selective").segments.empty());
}

/// Passes of forward that backward runs.
int again(const Stage& stage) {
  int count = 0;
  for (std::uint32_t i = stage.backward_begin; i < stage.backward_end.items; ++i) {
    const auto* work = std::get_if<Work>(&stage.items[i].what);
    if (work != nullptr && work->pass == Pass::forward) ++count;
  }
  return count;
}

// Of a block of 12 layers: what the two sums and the last products make is not read by backward.
TEST(Recomputation, RunsWhatBackwardReadsAndNoMore) {
  const Graph graph = load_model("gpt_tiny");
  EXPECT_EQ(again(plan_of(graph, "serial", 2).stages[0]), 0);
  // norm1, q, k, v, attention, o, sum1, norm2, up, act; not down and sum2.
  EXPECT_EQ(again(plan_of(graph, "serial; recompute=full", 2).stages[0]), 2 * 10);
  // What a segment hands on is kept: of norm2, up and act the last one's output.
  EXPECT_EQ(again(plan_of(graph, "serial; recompute=*.norm2|*.up|*.act", 2).stages[0]), 2 * 2);
  EXPECT_EQ(again(plan_of(graph, "serial; recompute=*.act", 2).stages[0]), 0);
}

TEST(Recomputation, RunsBlocksWholeWhereTheFrameworkDoes) {
  const Graph graph = load_model("gpt_tiny");
  Training training = training_of(2);
  training.framework.recomputes_whole_blocks = true;
  EXPECT_EQ(again(plan_of(graph, "serial; recompute=full", training).stages[0]), 2 * 12);
  EXPECT_EQ(again(plan_of(graph, "serial; recompute=*.norm2|*.up|*.act", training).stages[0]), 4);
  EXPECT_EQ(again(plan_of(graph, "serial", training).stages[0]), 0);
}

// norm1, which q, k and v read; sum1, norm2 and act.
TEST(Recomputation, RunsNothingThatIsExceptedAndWhatItReads) {
  const Graph graph = load_model("gpt_tiny");
  const Stage stage =
      plan_of(graph, "serial; recompute=except:*.q|*.k|*.v|*.attention|*.o|*.up|*.down", 2)
          .stages[0];
  EXPECT_EQ(again(stage), 2 * 4);
}

// What is kept of a block is its input: 2 blocks less of 4096 tokens each keep that much less.
TEST(Recomputation, KeepsABlocksInputAlone) {
  const Graph graph = load_model("gpt_tiny");
  const auto kept = [&](const char* strategy) {
    return liveness(graph, plan_of(graph, strategy, 1), 0).kept.value;
  };
  const double one = 128 * 64 * 4;  // a tensor of the residual stream in fp32
  // The first block's input, the second's, what the head's norm reads, the head's input, scores.
  const double scores = 128 * 256 * 4, tokens = 128 * 4;
  EXPECT_EQ(kept("serial; recompute=full"), 4 * one + scores + tokens);
  EXPECT_GT(kept("serial"), 20 * one);
  // And of each block what its queries' product made.
  EXPECT_EQ(kept("serial; recompute=except:*.q"), kept("serial; recompute=full") + 2 * one);
  // down's product is read by no pass of backward; act's output, which it read, is not kept.
  EXPECT_EQ(kept("serial; recompute=except:*.down"), kept("serial; recompute=full"));
}

}  // namespace recompute_test
}  // namespace oracle
