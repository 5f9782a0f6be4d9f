#pragma once
// What did a published run ask, as the engine is asked?      tests/cli/published_steps_test.cpp

#include <map>
#include <string>
#include <vector>

#include "oracle/cluster/cluster.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/published/published_reader.h"
#include "oracle/report/accuracy_report.h"

namespace oracle::cli {

/// The clusters that published files name, each read once.
class KnownClusters {
 public:
  const Cluster& called(const std::string& name);
  const Cluster& of(const PublishedRuns& published, const PublishedRun& run) {
    return called(run.cluster.empty() ? published.cluster : run.cluster);
  }

 private:
  std::map<std::string, Cluster> clusters_;
};

/// The same of networks.
class KnownNetworks {
 public:
  const Graph& of(const PublishedRuns& published, const PublishedRun& run);

 private:
  std::map<std::string, Graph> networks_;
};

struct AskedStep {
  const Graph& graph;
  Strategy strategy;
  Training training;
};
AskedStep asked_by(const PublishedRuns& published, const PublishedRun& run,
                   KnownNetworks& networks);

/// Whoever measured a step had memory enough; null where it cannot be planned.
const Fits* timed(const Evaluation& evaluation);

/// What runs of one network have in common.
std::string network_of(const PublishedRun& run);

/// Runs again, as predicted by who knows one step: of each network on each kind of device in the
/// file that on the fewest ranks, the first of them. Other runs are predicted at the pace that it
/// says (cluster/pace.h), where it says one.
std::vector<report::PacedRun> judge_paced(const PublishedRuns& published, KnownClusters& clusters,
                                          KnownNetworks& networks);

}  // namespace oracle::cli
