#include "oracle/evaluate/measured_pace.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace measured_pace_test {

class MeasuredPace : public testing::Test {
 protected:
  static Training training() {
    Training training;
    training.batch = 64;
    return training;
  }
  Seconds step(const Cluster& cluster, const char* strategy) const {
    return evaluate(network_, cluster, none_, parse_strategy(strategy), training())
        .fits()
        ->step.time;
  }
  std::optional<double> factor(const char* strategy, Seconds measured) const {
    return factor_of_kernels({network_, cluster_, none_},
                             {parse_strategy(strategy), training(), measured});
  }

  const Graph network_ = load_model("resnet50");
  const Cluster cluster_ = load_cluster("abci");
  const Profile none_{};
};

/// Launches stay, so that kernels take the whole difference.
TEST_F(MeasuredPace, WorkedNumber) {
  const double found = factor("serial", step(cluster_, "serial") * 1.3).value();
  EXPECT_GT(found, 1.3);
  EXPECT_LT(found, 1.35);
}

TEST_F(MeasuredPace, IsWhatTheStepWasPricedWith) {
  for (const double truth : {0.8, 1.0, 1.25}) {
    Cluster slower = cluster_;
    slower.pace.factor = truth;
    for (const char* strategy : {"serial", "data:16", "data:2,pipeline:2; micro_batches=4"}) {
      EXPECT_NEAR(factor(strategy, step(slower, strategy)).value(), truth, 0.001) << strategy;
    }
  }
}

/// What is further off than kernels are was no matter of kernels.
TEST_F(MeasuredPace, ExplainsNoStepThatWaitedForSomethingElse) {
  EXPECT_FALSE(factor("serial", step(cluster_, "serial") * 3).has_value());
  EXPECT_FALSE(factor("serial", step(cluster_, "serial") * 0.3).has_value());
}

TEST_F(MeasuredPace, RefusesWhatCannotBePlanned) {
  EXPECT_THROW(factor("filter:128", Seconds{1}), InputError);
}

/// Of every strategy the steps are longer and their intervals narrower.
TEST_F(MeasuredPace, NarrowsIntervals) {
  Cluster known = cluster_;
  known.pace = {1.2, 1};
  const auto evaluation = [&](const Cluster& cluster) {
    return evaluate(network_, cluster, none_, parse_strategy("serial"), training());
  };
  const Cost before = evaluation(cluster_).fits()->step, after = evaluation(known).fits()->step;
  EXPECT_GT(after.time / before.time, 1.1);
  EXPECT_LT(after.uncertainty, 0.9 * before.uncertainty);
}

}  // namespace measured_pace_test
}  // namespace oracle
