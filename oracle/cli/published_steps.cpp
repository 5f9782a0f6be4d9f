#include "oracle/cli/published_steps.h"

#include <algorithm>
#include <array>
#include <optional>

#include "oracle/evaluate/measured_pace.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/plan/strategy/default_options.h"

namespace oracle::cli {
namespace {

Graph model_of(const PublishedRuns& published, const PublishedRun& run) {
  ModelOverrides overrides;
  if (!run.input.empty()) overrides.input = parse_input_shape(run.input);
  if (run.sequence > 0) overrides.sequence = run.sequence;
  overrides.lora = run.lora;
  const auto own = published.models.find(run.model);
  return own == published.models.end()
             ? load_model(run.model, overrides)
             : read_model_of_either_form(own->second, run.model, overrides);
}

/// Of runs of one network on one kind of device.
void judge_group(const PublishedRuns& published, const std::vector<const PredictedRun*>& group,
                 KnownClusters& clusters, KnownNetworks& networks,
                 std::vector<report::PacedRun>& judged) {
  if (group.size() < 2) return;
  const auto ranks_of = [](const PredictedRun* one) {
    return parse_strategy(one->run.strategy).ranks();
  };
  const PredictedRun* known = *std::min_element(
      group.begin(), group.end(),
      [&](const PredictedRun* a, const PredictedRun* b) { return ranks_of(a) < ranks_of(b); });
  const AskedStep asked = asked_by(published, known->run, networks);
  const Profile none;
  const auto factor = factor_of_kernels({asked.graph, clusters.of(published, known->run), none},
                                        {asked.strategy, asked.training, known->run.step});
  if (!factor) return;
  const std::array<double, 1> factors = {*factor};
  for (const PredictedRun* one : group) {
    if (one == known) continue;
    Cluster cluster = clusters.of(published, one->run);
    cluster.pace = pace_of(factors);
    const AskedStep other = asked_by(published, one->run, networks);
    const Evaluation after = evaluate(other.graph, cluster, none, other.strategy, other.training);
    if (after.timed() == nullptr) continue;
    judged.push_back(
        {one->scale, published.fitted, one->comparison, {after.timed()->step, one->run.step}});
  }
}

}  // namespace

const Cluster& KnownClusters::called(const std::string& name) {
  auto known = clusters_.find(name);
  if (known == clusters_.end()) known = clusters_.emplace(name, load_cluster(name)).first;
  return known->second;
}

const Graph& KnownNetworks::of(const PublishedRuns& published, const PublishedRun& run) {
  const std::string name = published.id + "|" + network_of(run);
  auto known = networks_.find(name);
  if (known == networks_.end()) known = networks_.emplace(name, model_of(published, run)).first;
  return known->second;
}

AskedStep asked_by(const PublishedRuns& published, const PublishedRun& run,
                   KnownNetworks& networks) {
  Training training{run.batch, precision_named(published.precision),
                    optimizer_named(published.optimizer)};
  training.state = published.state;
  if (!published.framework.empty()) training.run_by(load_framework(published.framework));
  return {networks.of(published, run),
          parse_strategy(with_default_options(run.strategy, training.framework.options)), training};
}

std::string network_of(const PublishedRun& run) {
  return run.model + "|" + run.input + "|" + std::to_string(run.sequence) + "|" + run.lora;
}

void judge_paced(const PublishedRuns& published, std::span<const PredictedRun> predicted,
                 KnownClusters& clusters, KnownNetworks& networks,
                 std::vector<report::PacedRun>& judged) {
  std::map<std::string, std::vector<const PredictedRun*>> groups;
  for (const PredictedRun& one : predicted) {
    groups[network_of(one.run) + "|" + clusters.of(published, one.run).device.id].push_back(&one);
  }
  for (const auto& [name, group] : groups) {
    judge_group(published, group, clusters, networks, judged);
  }
}

}  // namespace oracle::cli
