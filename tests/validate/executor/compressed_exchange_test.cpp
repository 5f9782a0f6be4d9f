#include "validate/executor/compressed_exchange.h"

#include <cmath>
#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "validate/executor/bucket_exchange.h"
#include "validate/program/bind.h"

namespace oracle {
namespace compressed_exchange_test {

const Graph kChain = dense_chain({8, 4, 2});

/// Exchanges gradients of a layer again and again, on ranks that have no kernels.
class Exchanging {
 public:
  Exchanging(const Plan& plan, Communicator& communicator)
      : backend_(make_cpu_backend(1)),
        program_(bind(Pieces(kChain, plan, 4), communicator.rank())),
        trained_(kChain, program_, *backend_, 1, 0),
        groups_(make_groups(plan, Mesh(plan.degrees), true, communicator)),
        shards_(plan, program_, trained_, *backend_, communicator, groups_, groups_),
        compressed_(chosen_exchange(plan.strategy.exchange), program_.buckets, trained_, *backend_,
                    communicator, groups_),
        exchange_(trained_, shards_, *backend_, communicator, groups_, &compressed_) {}

  /// `gradient`: of each of the first layer's 32 weights, by its number; others are 0.
  template <typename Gradient>
  std::vector<float> sum_of(Gradient gradient) {
    for (const TrainedLayer& layer : program_.trained) {
      Weights& weights = *trained_.find(layer.layer);
      std::vector<float> values(static_cast<std::size_t>(weights.elements(0)), 0);
      for (std::size_t i = 0; layer.layer == 1 && i < values.size(); ++i) values[i] = gradient(i);
      weights.write_gradient(0, values.data());
    }
    for (const GradientBucket& bucket : program_.buckets) exchange_.add(bucket);
    while (exchange_.under_way()) exchange_.finish_first();
    std::vector<float> sums(32);
    trained_.find(1)->read_gradient(0, sums.data());
    return sums;
  }

  std::int64_t held() const { return backend_->memory().now; }

 private:
  std::unique_ptr<Backend> backend_;
  Program program_;
  TrainedLayers trained_;
  RankGroups groups_;
  StateShards shards_;
  CompressedExchange compressed_;
  BucketExchange exchange_;
};

/// Of rank `rank`, of different sizes and signs.
float gradient_of(int rank, std::size_t i) {
  return static_cast<float>(std::sin(1.7 * static_cast<double>(i + 1) * (rank + 1)));
}

float sum_over(int ranks, std::size_t i) {
  float sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += gradient_of(rank, i);
  return sum;
}

/// The largest difference between what arrived and the sum, after one step and, in the mean, after
/// twenty.
std::pair<float, float> error_of(const std::string& exchange) {
  constexpr int kRanks = 4, kSteps = 20;
  const Plan plan = plan_of(kChain, "data:4; exchange=" + exchange, 4);
  std::pair<float, float> errors;
  run_ranks(kRanks, [&](Communicator& communicator) {
    Exchanging exchanging(plan, communicator);
    std::vector<float> all(32, 0);
    float first = 0, later = 0;
    for (int step = 0; step < kSteps; ++step) {
      const std::vector<float> sums =
          exchanging.sum_of([&](std::size_t i) { return gradient_of(communicator.rank(), i); });
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] += sums[i];
        if (step == 0) first = std::max(first, std::abs(sums[i] - sum_over(kRanks, i)));
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      later = std::max(later, std::abs(all[i] / kSteps - sum_over(kRanks, i)));
    }
    if (communicator.rank() == 0) errors = {first, later};
  });
  return errors;
}

TEST(CompressedExchange, SumsAsWellAsItsBitsSay) {
  EXPECT_LE(error_of("fp16").first, 5e-3);
  EXPECT_LE(error_of("bf16").first, 4e-2);
  EXPECT_LE(error_of("int8").first, 4e-2);
  EXPECT_GE(error_of("onebit").first, 0.3);
  EXPECT_LE(error_of("topk:100%").first, 1e-6);
  EXPECT_LE(error_of("gtopk:100%").first, 1e-6);
}

TEST(CompressedExchange, SendsLaterWhatItLeftOut) {
  for (const char* exchange : {"int8", "onebit", "topk:25%", "sketch:25%"}) {
    const auto [first, later] = error_of(exchange);
    EXPECT_LE(later, first / 4) << exchange;
  }
  // Eight values of 32 go in each step, of all ranks together.
  const auto [merged_first, merged_later] = error_of("gtopk:25%");
  EXPECT_LE(merged_later, merged_first / 3);
  const auto [first, later] = error_of("bf16");
  EXPECT_NEAR(later, first, 1e-6) << "which keeps nothing";
}

TEST(CompressedExchange, LeavesTheSameBitsOnEachRank) {
  for (const char* exchange : {"bf16", "int8", "onebit", "topk:10%", "gtopk:10%", "sketch:10%"}) {
    const Plan plan = plan_of(kChain, "data:4; exchange=" + std::string(exchange), 4);
    std::vector<std::vector<float>> sums(4);
    run_ranks(4, [&](Communicator& communicator) {
      Exchanging exchanging(plan, communicator);
      sums[static_cast<std::size_t>(communicator.rank())] =
          exchanging.sum_of([&](std::size_t i) { return gradient_of(communicator.rank(), i); });
    });
    for (const std::vector<float>& own : sums) EXPECT_EQ(own, sums.front()) << exchange;
  }
}

TEST(CompressedExchange, KeepsWhatThePlanSays) {
  const Plan plan = plan_of(kChain, "data:2; exchange=int8", 4);
  double kept = 0;
  for (const Item& item : plan.stages[0].items) {
    if (const auto* step = std::get_if<Compression>(&item.what)) kept += step->kept.value;
  }
  run_ranks(2, [&](Communicator& communicator) {
    Exchanging exchanging(plan, communicator);
    const std::int64_t before = exchanging.held();
    exchanging.sum_of([](std::size_t) { return 1.0F; });
    EXPECT_EQ(static_cast<double>(exchanging.held() - before), kept);
  });
}

}  // namespace compressed_exchange_test
}  // namespace oracle
