// Experts on the ranks of other axes: oracle/plan/cuts/expert.cpp, alternate.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/memory/liveness.h"
#include "oracle/plan/assignment.h"
#include "tests/plan/tiny_experts.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace experts_test {

using testing::ElementsAre;

std::vector<std::string> moves_of_rows(const char* strategy, std::int64_t batch) {
  const Graph graph = experts();
  const Plan plan = plan_of(graph, strategy, batch);
  std::vector<std::string> found = transfers(graph, plan, Phase::forward);
  std::erase_if(found, [](const std::string& text) { return !text.starts_with("all_to_all"); });
  return found;
}

// Of a sample's 16 tokens a rank has 8, and sends 2 rows of 64 numbers of each.
TEST(ExpertsOverTensorRanks, TokensLeaveFromTheirPositionsAndComeBack) {
  EXPECT_THAT(moves_of_rows("data:2,tensor_expert:2", 2),
              ElementsAre("all_to_all{1} 4096 B of layers.0.dispatch: activation",
                          "all_to_all{1} 4096 B of layers.0.experts.down: activation"));
}

TEST(ExpertsOverTensorRanks, SamplesAndPositionsLeaveInOneExchange) {
  EXPECT_THAT(moves_of_rows("expert:2,tensor_expert:2", 2),
              ElementsAre("all_to_all{0,1} 4096 B of layers.0.dispatch: activation",
                          "all_to_all{0,1} 4096 B of layers.0.experts.down: activation"));
}

/// Rows go and come back, and so do their gradients.
TEST(ExpertOverlap, ListsTheMessagesOfExperts) {
  const Graph graph = experts();
  const Plan plan = plan_of(graph, "expert:4; micro_batches=2; expert_overlap=on", 8);
  const Stage& stage = plan.stages.front();
  std::vector<std::string> found;
  for (const std::uint32_t message : stage.expert_messages) {
    const auto& transfer = std::get<Transfer>(stage.items[message].what);
    found.push_back(std::string(name_of(stage.items[message].phase)) + ' ' +
                    graph[transfer.layer].name);
  }
  EXPECT_THAT(found, ElementsAre("forward layers.0.dispatch", "forward layers.0.experts.down",
                                 "backward layers.0.experts.down", "backward layers.0.dispatch"));
  EXPECT_TRUE(plan.pipeline().pairs());
  EXPECT_TRUE(
      plan_of(graph, "expert:4; micro_batches=2", 8).stages.front().expert_messages.empty());
  EXPECT_FALSE(plan_of(graph, "expert:4; expert_overlap=on", 8).pipeline().pairs());
}

TEST(ExpertOverlap, IsKnownInOneOrder) {
  EXPECT_THROW(plan_of(experts(), "pipeline:2,expert:2; schedule=gpipe; expert_overlap=on", 8),
               InputError);
}

TEST(ExpertsOverTensorRanks, OneSampleIsEnough) {
  EXPECT_EQ(moves_of_rows("tensor_expert:4", 1).size(), 2U);
}

TEST(ExpertsOverTensorRanks, RulesSayTheSame) {
  EXPECT_EQ(moves_of_rows("*experts*=expert:2; *=tensor_sequence:2", 2),
            moves_of_rows("tensor_expert:2", 2));
  EXPECT_EQ(moves_of_rows("*experts*=expert:2; *=context:2", 2),
            moves_of_rows("tensor_expert:2", 2));
}

/// A rank has one expert of the four, whose gradient no other adds to.
TEST(ExpertsOverTensorRanks, EachHasItsOwn) {
  const Graph graph = experts();
  const Plan plan = plan_of(graph, "expert:2,tensor_expert:2", 2);
  const Piece& experts = plan.pieces[id_of(graph, "layers.0.experts.up")];
  EXPECT_EQ(experts.experts, 1);
  EXPECT_EQ(experts.weights, 64 * 32);
  EXPECT_EQ(experts.input[Axis::sequence], 2 * 32 / 4 / experts.samples);
  EXPECT_EQ(gradient_axes(plan.assignment.effects[id_of(graph, "layers.0.experts.up")]), 0U);
}

// What backward of the sum reads: 32 rows of 64 numbers a sample, and the scores of 16 tokens.
TEST(Experts, RowsThatAreWeightedBeforeAreNotKept) {
  const Graph graph = experts();
  Training training = training_of(1);
  const double late = liveness(graph, plan_of(graph, "serial", training), 0).kept.value;
  training.framework.weights_rows_early = true;
  const double early = liveness(graph, plan_of(graph, "serial", training), 0).kept.value;
  EXPECT_EQ(late - early, 32 * 64 * 4);
}

/// Each rank scores the tokens it has, by all experts.
TEST(Router, IsWholeUnderTensorParallelism) {
  const Graph graph = experts();
  const LayerId router = id_of(graph, "layers.0.router");
  for (const char* strategy : {"tensor:2", "tensor_sequence:2", "tensor_expert:2"}) {
    const Plan plan = plan_of(graph, strategy, 2);
    EXPECT_EQ(plan.pieces[router].weights, 64 * 4) << strategy;
  }
  EXPECT_EQ(plan_of(graph, "tensor:2", 2).pieces[router].output_layout[0], State::replicated);
  const Plan apart = plan_of(graph, "tensor_expert:2", 2);
  EXPECT_EQ(apart.pieces[router].output_layout[0], State::sequence);
  EXPECT_EQ(gradient_axes(apart.assignment.effects[router]), 1U);
}

}  // namespace experts_test
}  // namespace oracle
