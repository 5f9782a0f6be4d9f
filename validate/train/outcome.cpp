#include "validate/train/outcome.h"

#include <algorithm>
#include <cmath>

#include "validate/train/planned.h"

namespace oracle {
namespace {

/// A stage as one of its ranks ran it.
struct RanStage {
  const RankRecord* record;
  RankStage stage;

  double seconds(std::size_t item) const { return record->item_seconds[stage.first_item + item]; }
  double bytes(std::size_t item) const { return record->item_bytes[stage.first_item + item]; }
};

std::vector<RanStage> ranks_of(std::span<const RankRecord> records, std::size_t stage) {
  std::vector<RanStage> ranks;
  for (const RankRecord& record : records) {
    for (const RankStage& own : record.stages) {
      if (own.stage == stage) ranks.push_back({&record, own});
    }
  }
  return ranks;
}

/// The ranks of a stage whose pieces are the largest: a plan describes them, and the others wait
/// for them.
std::vector<RanStage> largest_of(std::vector<RanStage> ranks) {
  std::int64_t most = 0;
  for (const RanStage& rank : ranks) most = std::max(most, rank.stage.values);
  std::erase_if(ranks, [&](const RanStage& rank) { return rank.stage.values < most; });
  return ranks;
}

double mean_of_item(const std::vector<RanStage>& ranks, std::size_t item) {
  double sum = 0;
  for (const RanStage& rank : ranks) sum += rank.seconds(item);
  return sum / static_cast<double>(std::max<std::size_t>(ranks.size(), 1));
}

/// Of a rank's stages the one that has the layer.
std::size_t stage_of(const Graph& graph, const Plan& plan, const RankRecord& record,
                     const std::string& layer) {
  for (const RankStage& own : record.stages) {
    const Stage& stage = plan.stages[own.stage];
    for (LayerId id = stage.first; id < stage.last; ++id) {
      if (graph[id].name == layer) return own.stage;
    }
  }
  return record.stages.front().stage;
}

/// A ring's share of a buffer need not be whole bytes.
constexpr double kOneByte = 1;

std::string name_of(const Graph& graph, const Item& item) {
  if (const auto* work = std::get_if<Work>(&item.what)) {
    const std::string layer = work->layer == kAllLayers ? "all weights" : graph[work->layer].name;
    return std::string(oracle::name_of(work->pass)) + ' ' + layer;
  }
  if (const auto* step = std::get_if<Compression>(&item.what)) {
    return std::string(oracle::name_of(step->step)) + " gradients up to " + graph[step->layer].name;
  }
  const auto& transfer = std::get<Transfer>(item.what);
  return std::string(oracle::name_of(transfer.collective)) + " of " + graph[transfer.layer].name +
         ": " + std::string(oracle::name_of(transfer.payload));
}

void add_rate(const InputCount& input, Outcome& outcome) {
  if (input.images == 0 || input.seconds <= 0) return;
  const double rate = static_cast<double>(input.images) / input.seconds;
  double& least = outcome.images_per_worker_second;
  least = least == 0 ? rate : std::min(least, rate);
}

void add_checkpoints(const CheckpointTimes& of_rank, CheckpointTimes& all) {
  all.bytes += of_rank.bytes;
  all.waited.resize(of_rank.waited.size());
  for (std::size_t i = 0; i < all.waited.size(); ++i) {
    all.waited[i] = std::max(all.waited[i], of_rank.waited[i]);
  }
  all.written.insert(all.written.end(), of_rank.written.begin(), of_rank.written.end());
}

void add_chosen(const Graph& graph, const Plan& plan, std::span<const RankRecord> records,
                Outcome& outcome) {
  for (const RankRecord& record : records) {
    for (const Choice& choice : record.choices) {
      add_choices(stage_of(graph, plan, record, choice.layer), record.rank, std::span(&choice, 1),
                  outcome.algorithms);
    }
  }
}

void add_steps(std::span<const RankRecord> records, Outcome& outcome) {
  const std::size_t steps = records.front().losses.size();
  outcome.losses.assign(steps, 0);
  outcome.step_seconds.assign(steps, 0);
  outcome.input_seconds.assign(records.front().input_seconds.size(), 0);
  outcome.replayed_steps = records.front().replayed_steps;
  outcome.speeds = records.front().speeds;
  outcome.skipped_steps = records.front().skipped_steps;
  outcome.loss_scale = records.front().loss_scale;
  for (const RankRecord& record : records) {
    for (std::size_t s = 0; s < steps; ++s) {
      outcome.losses[s] += record.losses[s];
      outcome.step_seconds[s] = std::max(outcome.step_seconds[s], record.step_seconds[s]);
      outcome.speeds[s] = std::min(outcome.speeds[s], record.speeds[s]);
    }
    for (std::size_t s = 0; s < outcome.input_seconds.size(); ++s) {
      outcome.input_seconds[s] = std::max(outcome.input_seconds[s], record.input_seconds[s]);
    }
    add_rate(record.input, outcome);
    outcome.sent_bytes += static_cast<double>(record.counted_bytes);
    for (const double bytes : record.item_bytes) outcome.item_bytes += bytes;
    outcome.scale_seconds = std::max(outcome.scale_seconds, record.scale_seconds);
    outcome.peak_memory = std::max(outcome.peak_memory, record.peak_memory);
    add_checkpoints(record.checkpoints, outcome.checkpoints);
    outcome.staleness.gradients += record.staleness.gradients;
    outcome.staleness.sum += record.staleness.sum;
    outcome.staleness.most = std::max(outcome.staleness.most, record.staleness.most);
  }
}

void add_items(const Graph& graph, const Plan& plan, std::span<const RankRecord> records,
               Outcome& outcome) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const std::vector<Item> items = measured_items(plan, s);
    const std::vector<double> planned = planned_bytes(graph, plan, s);
    const std::vector<RanStage> ranks = ranks_of(records, s), largest = largest_of(ranks);
    for (std::size_t i = 0; i < items.size(); ++i) {
      ItemOutcome ran{s, items[i], name_of(graph, items[i]), 0, 0, planned[i]};
      for (const RanStage& rank : ranks) ran.sent_bytes = std::max(ran.sent_bytes, rank.bytes(i));
      ran.seconds = mean_of_item(largest, i);
      const double off = std::abs(ran.sent_bytes - ran.plan_bytes);
      if (off >= kOneByte) outcome.unplanned_bytes += off;
      outcome.items.push_back(std::move(ran));
    }
  }
}

Equivalence checked(const Graph& graph, const Plan& plan, std::span<const RankRecord> records,
                    const Outcome& outcome) {
  std::vector<std::string> texts;
  for (const RankRecord& record : records) {
    texts.insert(texts.end(), record.differences.begin(), record.differences.end());
  }
  return judge(graph, parse_differences(texts), outcome.losses, records.front().serial_losses,
               records.front().disturbed_losses, rounding_of(plan.training.precision));
}

}  // namespace

std::int64_t untimed_steps(const Outcome& outcome, std::int64_t warm_up) {
  const auto steps = static_cast<std::int64_t>(outcome.step_seconds.size());
  return outcome.replayed_steps > 0 ? steps - outcome.replayed_steps : warm_up;
}

Outcome outcome_of(const Graph& graph, const Plan& plan, const Cluster& cluster,
                   std::span<const RankRecord> records) {
  Outcome outcome;
  add_steps(records, outcome);
  add_items(graph, plan, records, outcome);
  add_chosen(graph, plan, records, outcome);
  const Footprint needed = footprint(graph, plan, cluster);
  outcome.footprint = needed.allocated().value;
  outcome.noise = noise_of(records, plan.training.batch);
  if (!records.front().differences.empty()) outcome.check = checked(graph, plan, records, outcome);
  return outcome;
}

}  // namespace oracle
