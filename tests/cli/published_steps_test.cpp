#include "oracle/cli/published_steps.h"

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"

namespace oracle::cli {
namespace published_steps_test {

/// AlexNet on V100s, whose measured steps are the predicted ones, so many times as long.
PublishedRuns of_alexnet(double times, KnownClusters& clusters, KnownNetworks& networks) {
  PublishedRuns published;
  published.cluster = "abci";
  published.precision = "fp32";
  published.optimizer = "momentum";
  for (const char* strategy : {"data:4", "serial", "data:2"}) {
    PublishedRun run;
    run.model = "alexnet";
    run.strategy = strategy;
    run.batch = 512;
    const AskedStep asked = asked_by(published, run, networks);
    Cluster cluster = clusters.of(published, run);
    cluster.pace.factor = times;
    const Evaluation evaluation =
        evaluate(asked.graph, cluster, Profile{}, asked.strategy, asked.training);
    run.step = evaluation.timed()->step.time;
    published.runs.push_back(run);
  }
  return published;
}

std::vector<report::PacedRun> paced(const PublishedRuns& published, KnownClusters& clusters,
                                    KnownNetworks& networks) {
  std::vector<PredictedRun> predicted;
  for (const PublishedRun& run : published.runs) {
    const AskedStep asked = asked_by(published, run, networks);
    const Evaluation evaluation = evaluate(asked.graph, clusters.of(published, run), Profile{},
                                           asked.strategy, asked.training);
    predicted.push_back({run, "one node", {evaluation.timed()->step, run.step}});
  }
  std::vector<report::PacedRun> judged;
  judge_paced(published, predicted, clusters, networks, judged);
  return judged;
}

/// The run on fewest ranks says the pace, and four fifths of what it says are taken.
TEST(PublishedSteps, OthersArePredictedAtThePaceOfTheSmallest) {
  KnownClusters clusters;
  KnownNetworks networks;
  const auto judged = paced(of_alexnet(1.2, clusters, networks), clusters, networks);
  ASSERT_EQ(judged.size(), 2U) << "and not the one that is known";
  for (const report::PacedRun& run : judged) {
    EXPECT_LT(run.before.signed_error(), -0.1);
    EXPECT_NEAR(run.after.signed_error(), 0.2 * run.before.signed_error(), 0.02);
  }
}

TEST(PublishedSteps, WithoutAPaceNothingIsJudged) {
  KnownClusters clusters;
  KnownNetworks networks;
  EXPECT_TRUE(paced(of_alexnet(9, clusters, networks), clusters, networks).empty());
  PublishedRuns one = of_alexnet(1, clusters, networks);
  one.runs.resize(1);
  EXPECT_TRUE(paced(one, clusters, networks).empty());
}

}  // namespace published_steps_test
}  // namespace oracle::cli
