#include "oracle/plan/exchanges/compressed_bucket.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace compressed_bucket_test {

std::string text_of(const Action& action) {
  const auto whole = [](Bytes bytes) {
    return std::to_string(static_cast<std::int64_t>(bytes.value));
  };
  if (const auto* step = std::get_if<Compression>(&action)) {
    return std::string(name_of(step->step)) + " touches " + whole(step->touched) + " holds " +
           whole(step->held) + " keeps " + whole(step->kept);
  }
  const auto& transfer = std::get<Transfer>(action);
  return std::string(name_of(transfer.collective)) + ' ' + whole(transfer.bytes) + " beside " +
         whole(transfer.beside) + ' ' + std::string(name_of(transfer.payload));
}

/// Of 1000 fp32 values over 4 ranks.
std::vector<std::string> steps_of(std::string_view exchange) {
  const Transfer sum{Collective::all_reduce, 1, Bytes{4000}, Payload::weight_gradient, 3};
  const CompressedBucket bucket(chosen_exchange(exchange), sum, 4, 4);
  std::vector<std::string> texts;
  for (const Action& step : bucket.steps()) texts.push_back(text_of(step));
  return texts;
}

TEST(CompressedBucket, SumsWhatIsANumber) {
  EXPECT_EQ(steps_of("bf16"),
            (std::vector<std::string>{"compress touches 6000 holds 2000 keeps 0",
                                      "all_reduce 2000 beside 0 compressed gradient",
                                      "restore touches 6000 holds 2000 keeps 0"}));
}

TEST(CompressedBucket, SumsPartsAndGathersThem) {
  EXPECT_EQ(steps_of("int8"),
            (std::vector<std::string>{"compress touches 21024 holds 1024 keeps 5000",
                                      "all_to_all 1024 beside 1024 compressed gradient",
                                      "reduce touches 9280 holds 1280 keeps 0",
                                      "all_gather 1024 beside 256 compressed gradient",
                                      "restore touches 13024 holds 5024 keeps 0"}));
}

TEST(CompressedBucket, GathersWhatEachSelected) {
  EXPECT_EQ(steps_of("topk:1%"),
            (std::vector<std::string>{"compress touches 28080 holds 80 keeps 4000",
                                      "all_gather 320 beside 80 compressed gradient",
                                      "restore touches 12640 holds 4320 keeps 0"}));
}

TEST(CompressedBucket, SumsSketchesAndThenWhatTheyFind) {
  EXPECT_EQ(steps_of("sketch:1%"),
            (std::vector<std::string>{"compress touches 32400 holds 400 keeps 4000",
                                      "all_reduce 400 beside 0 compressed gradient",
                                      "reduce touches 40080 holds 4480 keeps 0",
                                      "all_reduce 40 beside 40 compressed gradient",
                                      "restore touches 12040 holds 4040 keeps 0"}));
}

TEST(CompressedBucket, MergesInPairs) {
  EXPECT_EQ(steps_of("gtopk:1%"),
            (std::vector<std::string>{"compress touches 28240 holds 160 keeps 4000",
                                      "butterfly 80 beside 160 compressed gradient",
                                      "reduce touches 1440 holds 320 keeps 0",
                                      "restore touches 12080 holds 4080 keeps 0"}));
}

/// Words that each step takes and makes, and how often.
TEST(CompressedBucket, SaysWhatEachStepTakesAndMakes) {
  const auto flows_of = [](std::string_view exchange) {
    const Transfer sum{Collective::all_reduce, 1, Bytes{4000}, Payload::weight_gradient, 3};
    const CompressedBucket bucket(chosen_exchange(exchange), sum, 4, 4);
    std::vector<std::string> flows;
    for (const Action& action : bucket.steps()) {
      const auto* step = std::get_if<Compression>(&action);
      if (step == nullptr) continue;
      EXPECT_EQ(step->exchange, name_of_exchange(exchange));
      flows.push_back(std::to_string(step->inputs) + "x" + std::to_string(step->input) + " to " +
                      std::to_string(step->output) + " by " +
                      std::to_string(static_cast<int>(step->times)));
    }
    return flows;
  };
  using Flows = std::vector<std::string>;
  EXPECT_EQ(flows_of("bf16"), (Flows{"1x1000 to 500 by 1", "1x500 to 1000 by 1"}));
  EXPECT_EQ(flows_of("int8"),
            (Flows{"1x1000 to 256 by 1", "4x64 to 64 by 1", "4x64 to 1000 by 1"}));
  EXPECT_EQ(flows_of("topk:1%"), (Flows{"1x1000 to 20 by 1", "4x20 to 1000 by 1"}));
  EXPECT_EQ(flows_of("gtopk:1%"),
            (Flows{"1x1000 to 20 by 1", "2x20 to 20 by 2", "1x20 to 1000 by 1"}));
  EXPECT_EQ(flows_of("sketch:1%"),
            (Flows{"1x1000 to 100 by 1", "1x100 to 1000 by 1", "1x10 to 1000 by 1"}));
}

TEST(CompressedBucket, StandsInAPlanInPlaceOfTheAllReduce) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "data:2; exchange=onebit", 8);
  // 40 values in parts of 20: a word of signs and two means each.
  EXPECT_EQ(transfers(graph, plan, Phase::exchange),
            (std::vector<std::string>{"all_to_all{0} 24 B of fc1: compressed gradient",
                                      "all_gather{0} 24 B of fc1: compressed gradient"}));
  const Stage& stage = plan.stages[0];
  const std::uint32_t first = stage.backward_end.items;
  EXPECT_EQ(std::get<Compression>(stage.items[first].what).elements, 40);
  for (std::uint32_t i = first + 1; i < first + 5; ++i) {
    ASSERT_EQ(stage.needs_of(stage.items[i]).size(), 1U);
    EXPECT_EQ(stage.needs_of(stage.items[i]).front(), i - 1) << "one after the other";
    EXPECT_EQ(stage.reads_of(stage.items[i]).size(), 2U);
  }
  EXPECT_EQ(stage.update_item(), first + 5);
}

}  // namespace compressed_bucket_test
}  // namespace oracle
