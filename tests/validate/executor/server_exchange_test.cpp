#include "validate/executor/server_exchange.h"

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "tests/validate/plain/backend.h"
#include "validate/executor/bucket_exchange.h"
#include "validate/program/bind.h"

namespace oracle {
namespace server_exchange_test {

const Graph kChain = dense_chain({8, 4, 2});

/// 32 and 8 weights in one bucket, over ranks that have no kernels.
class Served {
 public:
  Served(const Plan& plan, Communicator& communicator)
      : backend_(make_cpu_backend(1)),
        program_(bind(Pieces(kChain, plan, 4), communicator.rank())),
        trained_(kChain, program_, *backend_, 1, 0),
        groups_(make_groups(plan, Mesh(plan.degrees), true, communicator)),
        servers_(program_, trained_, *backend_, communicator, groups_) {}

  std::vector<float> weights(LayerId id) const {
    std::vector<float> values(static_cast<std::size_t>(trained_.elements(id)));
    trained_.find(id)->read(0, values.data());
    return values;
  }

  /// One step of gradient descent at rate 1 with gradients that are `value` everywhere.
  void step(float value) {
    servers_.begin_step({.rate = 1});
    for (const TrainedLayer& layer : program_.trained) {
      const std::vector<float> values(static_cast<std::size_t>(trained_.elements(layer.layer)),
                                      value);
      trained_.find(layer.layer)->write_gradient(0, values.data());
    }
    for (const GradientBucket& bucket : program_.buckets) {
      servers_.start(bucket);
      while (!servers_.proceed()) continue;
    }
    servers_.update();
    std::vector<double> bytes(program_.items);
    for (const GradientBucket& bucket : program_.buckets) servers_.pull(bucket, bytes);
  }

  const ServerExchange& servers() const { return servers_; }

 private:
  std::unique_ptr<Backend> backend_;
  Program program_;
  TrainedLayers trained_;
  RankGroups groups_;
  ServerExchange servers_;
};

TEST(ServerExchange, UpdatesByTheSumOfAllGradients) {
  for (const char* servers : {"1", "2", "3", "4", "7"}) {
    const Plan plan = plan_of(kChain, "data:4; exchange=servers:" + std::string(servers), 4);
    run_ranks(4, [&](Communicator& communicator) {
      Served served(plan, communicator);
      for (const LayerId id : {LayerId{1}, LayerId{2}}) {
        const std::vector<float> before = served.weights(id);
        served.step(static_cast<float>(communicator.rank() + 1));
        const std::vector<float> after = served.weights(id);
        for (std::size_t i = 0; i < after.size(); ++i) {
          EXPECT_NEAR(after[i], before[i] - 10, 1e-5) << servers;
        }
      }
    });
  }
}

/// 40 values in 3 parts of 14, the last one filled up: ranks 0, 1 and 2 of 4.
TEST(ServerExchange, SaysWhoseSumsItHolds) {
  const Plan plan = plan_of(kChain, "data:4; exchange=servers:3", 4);
  std::vector<std::vector<Interval>> held(4);
  run_ranks(4, [&](Communicator& communicator) {
    const Served served(plan, communicator);
    // Backward makes the last layer's gradient first: 8 values of fc2, then 32 of fc1.
    held[static_cast<std::size_t>(communicator.rank())] = {served.servers().held(2, 0),
                                                           served.servers().held(1, 0)};
  });
  std::int64_t covered = 0;
  for (const std::vector<Interval>& own : held) covered += own[0].size() + own[1].size();
  EXPECT_EQ(covered, 40);
  EXPECT_EQ(held[3][0].size() + held[3][1].size(), 0) << "which serves nothing";
  EXPECT_EQ(held[1][0].size() + held[1][1].size(), 14);
}

TEST(ServerExchange, NeedsBuffersInReach) {
  const Plan plan = plan_of(kChain, "data:1; exchange=servers:1", 4);
  run_ranks(1, [&](Communicator& communicator) {
    const auto backend = plain_backend();
    if (backend->shards_state()) return;
    const Program program = bind(Pieces(kChain, plan, 4), 0);
    const TrainedLayers trained(kChain, program, *backend, 1, 0);
    EXPECT_THROW(ServerExchange(program, trained, *backend, communicator, {}), InputError);
  });
}

}  // namespace server_exchange_test
}  // namespace oracle
