#include "validate/executor/stale_servers.h"

#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "validate/program/bind.h"

namespace oracle {
namespace stale_servers_test {

const Graph kChain = dense_chain({8, 4, 2});
constexpr std::int64_t kSteps = 12;

/// Ranks without kernels, whose gradients are 1 everywhere.
class Worker {
 public:
  Worker(const Plan& plan, Communicator& communicator)
      : backend_(make_cpu_backend(1)),
        program_(bind(Pieces(kChain, plan, 4), communicator.rank())),
        trained_(kChain, program_, *backend_, 1, 0),
        groups_(make_groups(plan, Mesh(plan.degrees), true, communicator)),
        servers_(program_, trained_, *backend_, communicator, groups_, plan.strategy.staleness,
                 kSteps) {
    for (const TrainedLayer& layer : program_.trained) {
      const std::vector<float> ones(static_cast<std::size_t>(trained_.elements(layer.layer)), 1);
      trained_.find(layer.layer)->write_gradient(0, ones.data());
    }
  }

  /// The first weight of the first layer.
  float weight() const {
    std::vector<float> values(static_cast<std::size_t>(trained_.elements(1)));
    trained_.find(1)->read(0, values.data());
    return values.front();
  }

  /// Serves for as long as `pause` after each bucket that it has pulled.
  void step(std::chrono::milliseconds pause = {}) {
    servers_.begin_step({.rate = 1});
    for (const GradientBucket& bucket : program_.buckets) {
      servers_.start(bucket);
      while (!servers_.proceed()) continue;
    }
    std::vector<double> bytes(program_.items);
    for (const GradientBucket& bucket : program_.buckets) {
      servers_.pull(bucket, bytes);
      std::this_thread::sleep_for(pause);
      servers_.keep_up();
    }
  }

  const StaleServers& servers() const { return servers_; }

 private:
  std::unique_ptr<Backend> backend_;
  Program program_;
  TrainedLayers trained_;
  RankGroups groups_;
  StaleServers servers_;
};

struct Course {
  std::vector<float> seen;  ///< by step of the fast ranks: updates in the weights they begin with
  std::int64_t most_stale = 0;
  std::int64_t gradients = 0;
};

/// Rank 1, which is no server, takes `lag` for a step, and others none; the course of rank 3.
Course course_of(const std::string& staleness, std::chrono::milliseconds lag) {
  const Plan plan =
      plan_of(kChain, "data:4; bucket=1 B; exchange=servers:2; staleness=" + staleness, 4);
  Course course;
  std::mutex mutex;
  run_ranks(4, [&](Communicator& communicator) {
    Worker worker(plan, communicator);
    const float initial = worker.weight();
    for (std::int64_t step = 0; step < kSteps; ++step) {
      if (communicator.rank() == 3) course.seen.push_back(initial - worker.weight());
      if (communicator.rank() == 1) std::this_thread::sleep_for(lag);
      worker.step();
    }
    const Staleness staleness_of = worker.servers().staleness();
    const std::lock_guard lock(mutex);
    course.most_stale = std::max(course.most_stale, staleness_of.most);
    course.gradients += staleness_of.gradients;
  });
  return course;
}

TEST(StaleServers, WithBoundZeroBeginEachStepTogether) {
  const Course course = course_of("0", std::chrono::milliseconds(2));
  for (std::size_t step = 0; step < course.seen.size(); ++step) {
    EXPECT_NEAR(course.seen[step], 4.0 * static_cast<double>(step), 1e-4) << "of four ranks";
  }
  EXPECT_EQ(course.most_stale, 3) << "the others' gradients of the same step";
  EXPECT_EQ(course.gradients, 2 * 2 * 4 * kSteps) << "each part of 2 buckets from each rank";
}

/// The others' next gradients arrive before it has all weights of its own step.
TEST(StaleServers, AServerThatLagsBeginsWithTheWeightsOfItsStep) {
  const Plan plan = plan_of(kChain, "data:4; bucket=1 B; exchange=servers:2; staleness=0", 4);
  std::vector<float> seen;
  run_ranks(4, [&](Communicator& communicator) {
    Worker worker(plan, communicator);
    const float initial = worker.weight();
    for (std::int64_t step = 0; step < kSteps; ++step) {
      if (communicator.rank() == 0) seen.push_back(initial - worker.weight());
      worker.step(std::chrono::milliseconds(communicator.rank() == 0 ? 5 : 0));
    }
  });
  for (std::size_t step = 0; step < seen.size(); ++step) {
    EXPECT_NEAR(seen[step], 4.0 * static_cast<double>(step), 1e-4) << "of four ranks";
  }
}

/// At step t a rank has seen its own t gradients, and of each other at least t − bound.
TEST(StaleServers, KeepTheBound) {
  const Course course = course_of("3", std::chrono::milliseconds(5));
  for (std::size_t step = 0; step < course.seen.size(); ++step) {
    const auto own = static_cast<double>(step);
    EXPECT_GE(course.seen[step], own + 3 * std::max(0.0, own - 3) - 1e-4) << step;
    EXPECT_LE(course.seen[step], 4.0 * own + 3 * 4 + 1e-4) << step;
  }
}

TEST(StaleServers, WithoutBoundDoNotWaitForTheSlowest) {
  const Course course = course_of("any", std::chrono::milliseconds(50));
  EXPECT_GT(course.most_stale, 12) << "the slowest rank's second gradient";
  EXPECT_EQ(course.gradients, 2 * 2 * 4 * kSteps);
}

}  // namespace stale_servers_test
}  // namespace oracle
