#pragma once
// What did a published run ask, as the engine is asked?      tests/cli/published_steps_test.cpp

#include <map>
#include <span>
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

/// What runs of one network have in common.
std::string network_of(const PublishedRun& run);

/// One of a file's runs beside its prediction.
struct PredictedRun {
  const PublishedRun& run;
  std::string scale;  ///< RunClass::scale
  Comparison comparison;
};

/// Adds the runs of a file as predicted where one step is known: of each network on each kind of
/// device that on the fewest ranks, the first of them. Other runs are predicted at the pace that it
/// says (cluster/pace.h), where it says one.
void judge_paced(const PublishedRuns& published, std::span<const PredictedRun> predicted,
                 KnownClusters& clusters, KnownNetworks& networks,
                 std::vector<report::PacedRun>& judged);

}  // namespace oracle::cli
