#include "oracle/plan/exchanges/refused_exchange.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace refused_exchange_test {

std::string refusal(std::string_view strategy) {
  const Infeasible refused = refusal_of(dense_chain({8, 4, 2}), strategy, 8);
  EXPECT_EQ(refused.constraint, Constraint::exchange);
  return to_text(refused);
}

TEST(RefusedExchange, SaysWhatDoesNotGoTogether) {
  EXPECT_EQ(refusal("data:2; exchange=int8; zero=1"),
            "exchange=int8 leaves gradients whole, and zero=1 sums them into shards; leave out "
            "zero=1 or exchange=int8");
  EXPECT_EQ(refusal("data:2; exchange=onebit; micro_batches=2; sync=micro_batch"),
            "exchange=onebit sends once a step, and sync=micro_batch in each "
            "micro-batch; write sync=step, or leave out exchange=onebit");
}

/// Who has the state elsewhere has no place for weights that come updated from others.
TEST(RefusedExchange, OfWeightsHasTheirStateOnTheDevice) {
  for (const std::string exchange : {"exchange=servers:2", "exchange=local:4"}) {
    EXPECT_EQ(refusal("data:2; offload=optimizer; " + exchange),
              exchange +
                  " exchanges weights once they are updated, and offload=optimizer has "
                  "their state on the host of each rank; leave out offload=optimizer or " +
                  exchange);
    EXPECT_NO_THROW(plan_of(dense_chain({8, 4, 2}), "data:2; offload=activations; " + exchange, 8));
  }
}

TEST(RefusedExchange, MergesPairs) {
  EXPECT_EQ(refusal("data:6; exchange=gtopk:1%"),
            "exchange=gtopk:1% merges ranks in pairs, and 6 is no power of two; use 2, 4, 8, ... "
            "ranks, or exchange=topk");
}

TEST(RefusedExchange, TakesNoTwoBytesToTwo) {
  Precision narrow = precision_named("bf16");
  const Strategy strategy = parse_strategy("data:2; exchange=fp16");
  const auto refused = refused_exchange(strategy, narrow);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(to_text(*refused),
            "exchange=fp16 sends 2 bytes a value, and gradients travel in as many already; leave "
            "out exchange=fp16");
  narrow.gradient_bytes = 4;
  EXPECT_FALSE(refused_exchange(strategy, narrow).has_value());
  EXPECT_FALSE(refused_exchange(parse_strategy("data:2; exchange=int8"), precision_named("bf16")));
}

TEST(RefusedExchange, LeavesOthersAlone) {
  const Graph graph = dense_chain({8, 4, 2});
  for (const char* strategy : {"data:2; exchange=ring; zero=1", "data:2; zero=2",
                               "data:2; exchange=int8; micro_batches=2", "serial; exchange=int8"}) {
    EXPECT_NO_THROW(plan_of(graph, strategy, 8)) << strategy;
  }
}

}  // namespace refused_exchange_test
}  // namespace oracle
