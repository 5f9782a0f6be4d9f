#include "validate/executor/bucket_exchange.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "tests/validate/plain/backend.h"
#include "tests/validate/sabotage.h"
#include "validate/program/bind.h"

namespace oracle {
namespace bucket_exchange_test {

const Graph kChain = dense_chain({8, 4, 2});

/// Rank r's gradients are r + 1 everywhere.
void fill(const TrainedLayers& trained, const Program& program, float value) {
  for (const TrainedLayer& layer : program.trained) {
    Weights& weights = *trained.find(layer.layer);
    const std::vector<float> values(static_cast<std::size_t>(weights.elements(0)), value);
    weights.write_gradient(0, values.data());
  }
}

std::vector<float> gradient_of(const TrainedLayers& trained, LayerId id) {
  const Weights& weights = *trained.find(id);
  std::vector<float> values(static_cast<std::size_t>(weights.elements(0)));
  weights.read_gradient(0, values.data());
  return values;
}

TEST(BucketExchange, SumsOneBucketAfterTheOther) {
  const Plan plan = plan_of(kChain, "data:2; bucket=1 B", 4);
  run_ranks(2, [&](Communicator& communicator) {
    const auto backend = plain_backend();
    const Program program = bind(Pieces(kChain, plan, 4), communicator.rank());
    ASSERT_EQ(program.buckets.size(), 2U);
    const TrainedLayers trained(kChain, program, *backend, 1, 0);
    const RankGroups groups = make_groups(plan, Mesh(plan.degrees), true, communicator);
    const StateShards shards(plan, program, trained, *backend, communicator, groups, groups);
    BucketExchange exchange(trained, shards, *backend, communicator, groups);
    fill(trained, program, static_cast<float>(communicator.rank() + 1));
    for (const GradientBucket& bucket : program.buckets) exchange.add(bucket);
    std::vector<double> sent(program.items, 0);
    exchange.count_bytes(program.buckets[0], sent);
    EXPECT_EQ(sent[program.buckets[0].item], 4 * 4 * 2);
    EXPECT_EQ(&exchange.first(), &program.buckets[0]);
    exchange.finish_first();
    const LayerId first = program.buckets[0].layers[0], second = program.buckets[1].layers[0];
    EXPECT_EQ(gradient_of(trained, first), std::vector<float>(4 * 2, 3.0F));
    EXPECT_EQ(gradient_of(trained, second)[0], static_cast<float>(communicator.rank() + 1));
    while (exchange.under_way()) exchange.advance();
    EXPECT_EQ(gradient_of(trained, second), std::vector<float>(8 * 4, 3.0F));
  });
}

/// Counts the buffers that are held at once.
class CountsBuffers : public Sabotaged {
 public:
  using Sabotaged::Sabotaged;
  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    most = std::max(most, ++held);
    return inner_.start_all_reduce(group, data, count, type, std::move(label));
  }
  void wait(Ticket ticket) override {
    inner_.wait(ticket);
    --held;
  }

  int held = 0, most = 0;
};

TEST(BucketExchange, OneTravelsAtATime) {
  const Plan plan = plan_of(dense_chain({8, 4, 4, 4, 2}), "data:2; bucket=1 B", 4);
  run_ranks(2, [&](Communicator& communicator) {
    const Graph graph = dense_chain({8, 4, 4, 4, 2});
    CountsBuffers counting(communicator);
    const auto backend = plain_backend();
    const Program program = bind(Pieces(graph, plan, 4), counting.rank());
    const TrainedLayers trained(graph, program, *backend, 1, 0);
    const RankGroups groups = make_groups(plan, Mesh(plan.degrees), true, counting);
    const StateShards shards(plan, program, trained, *backend, counting, groups, groups);
    BucketExchange exchange(trained, shards, *backend, counting, groups);
    fill(trained, program, 1);
    for (const GradientBucket& bucket : program.buckets) exchange.add(bucket);
    while (exchange.under_way()) exchange.finish_first();
    EXPECT_EQ(counting.most, 1);
    EXPECT_EQ(counting.held, 0);
  });
}

}  // namespace bucket_exchange_test
}  // namespace oracle
