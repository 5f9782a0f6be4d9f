#include "validate/train/planned.h"

#include "validate/executor/executor.h"

namespace oracle {
namespace {

double sent_once(const Plan& plan, const Item& item) {
  const auto* transfer = std::get_if<Transfer>(&item.what);
  if (transfer == nullptr) return 0;
  const double sent = sent_bytes(*transfer, plan.group_size(transfer->axes)).value;
  return sent / static_cast<double>(item.every);
}

bool in_each_micro_batch(const Item& item) {
  return item.phase == Phase::forward || item.phase == Phase::backward;
}

}  // namespace

std::vector<Item> measured_items(const Plan& plan, std::size_t stage) {
  std::vector<Item> items = plan.stages[stage].items;
  for (const Transfer& message : plan.stages[stage].to_next) {
    items.push_back({message, Phase::forward, 0, 0});
  }
  if (stage == 0) return items;
  for (const Transfer& message : plan.stages[stage - 1].from_next) {
    items.push_back({message, Phase::backward, 0, 0});
  }
  return items;
}

std::vector<double> planned_bytes(const Graph& graph, const Plan& plan, std::size_t stage) {
  const std::vector<Item> items = measured_items(plan, stage);
  std::vector<double> bytes(items.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!in_each_micro_batch(items[i])) bytes[i] = sent_once(plan, items[i]);
  }
  for (const SampleRange& range : micro_batches(plan.training.batch, plan.strategy.micro_batches)) {
    const bool largest = range.size() == plan.micro_batch_samples();
    const std::vector<Item> own =
        largest ? items : measured_items(of_one_micro_batch(graph, plan, range.size()), stage);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (in_each_micro_batch(items[i])) bytes[i] += sent_once(plan, own[i]);
    }
  }
  return bytes;
}

}  // namespace oracle
