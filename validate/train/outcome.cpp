#include "validate/train/outcome.h"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

std::string name_of(const Graph& graph, const Item& item) {
  if (const auto* work = std::get_if<Work>(&item.what)) {
    const std::string layer = work->layer == kAllLayers ? "all weights" : graph[work->layer].name;
    return std::string(oracle::name_of(work->pass)) + ' ' + layer;
  }
  const auto& transfer = std::get<Transfer>(item.what);
  return std::string(oracle::name_of(transfer.collective)) + " of " + graph[transfer.layer].name +
         ": " + std::string(oracle::name_of(transfer.payload));
}

void add_steps(std::span<const RankRecord> records, Outcome& outcome) {
  const std::size_t steps = records.front().losses.size();
  outcome.losses.assign(steps, 0);
  outcome.step_seconds.assign(steps, 0);
  for (const RankRecord& record : records) {
    for (std::size_t s = 0; s < steps; ++s) {
      outcome.losses[s] += record.losses[s];
      outcome.step_seconds[s] = std::max(outcome.step_seconds[s], record.step_seconds[s]);
    }
    outcome.sent_bytes += static_cast<double>(record.counted_bytes);
    outcome.item_bytes += record.message_bytes;
    for (const double bytes : record.item_bytes) outcome.item_bytes += bytes;
    outcome.peak_memory = std::max(outcome.peak_memory, record.peak_memory);
  }
}

void add_items(const Graph& graph, const Plan& plan, std::span<const RankRecord> records,
               Outcome& outcome) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    for (std::size_t i = 0; i < plan.stages[s].items.size(); ++i) {
      const Item& item = plan.stages[s].items[i];
      ItemOutcome ran{s, name_of(graph, item), 0, 0, planned_bytes(plan, item)};
      for (const RankRecord& record : records) {
        if (record.stage != s) continue;
        ran.seconds = std::max(ran.seconds, record.item_seconds[i]);
        ran.sent_bytes = std::max(ran.sent_bytes, record.item_bytes[i]);
      }
      outcome.unplanned_bytes += std::abs(ran.sent_bytes - ran.plan_bytes);
      outcome.items.push_back(std::move(ran));
    }
  }
}

Equivalence checked(const Graph& graph, std::span<const RankRecord> records,
                    const Outcome& outcome) {
  std::vector<std::string> texts;
  for (const RankRecord& record : records) {
    texts.insert(texts.end(), record.differences.begin(), record.differences.end());
  }
  return judge(graph, parse_differences(texts), outcome.losses, records.front().serial_losses,
               records.front().disturbed_losses);
}

}  // namespace

double planned_bytes(const Plan& plan, const Item& item) {
  const auto* transfer = std::get_if<Transfer>(&item.what);
  if (transfer == nullptr) return 0;
  const bool each = item.phase == Phase::forward || item.phase == Phase::backward;
  const double times = each ? static_cast<double>(plan.strategy.micro_batches) : 1;
  return times * sent_bytes(*transfer, plan.group_size(transfer->axes)).value;
}

Outcome outcome_of(const Graph& graph, const Plan& plan, const Cluster& cluster,
                   std::span<const RankRecord> records) {
  Outcome outcome;
  add_steps(records, outcome);
  add_items(graph, plan, records, outcome);
  const Footprint needed = footprint(graph, plan, cluster);
  outcome.footprint = (needed.total() - needed.of(MemoryUse::reserved)).value;
  if (!records.front().differences.empty()) outcome.check = checked(graph, records, outcome);
  return outcome;
}

}  // namespace oracle
