#include "validate/record/rank_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "oracle/base/statistics.h"
#include "validate/record/choices.h"

namespace oracle {
namespace {

/// JSON has no word for what has left the numbers: null.
std::vector<double> read_numbers(const nlohmann::json& values) {
  std::vector<double> numbers;
  for (const nlohmann::json& value : values) {
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
  }
  return numbers;
}

/// Of the steps whose items were timed, without those that warm up, the shortest quarter and the
/// longest.
std::vector<const StepRecord*> typical_steps(std::span<const StepRecord> steps,
                                             std::int64_t warm_up) {
  std::vector<const StepRecord*> timed;
  for (const StepRecord& step : steps) {
    if (warm_up-- <= 0 && !step.replayed) timed.push_back(&step);
  }
  std::stable_sort(timed.begin(), timed.end(), [](const StepRecord* one, const StepRecord* other) {
    return one->seconds < other->seconds;
  });
  const auto quarter = static_cast<std::ptrdiff_t>(timed.size() / 4);
  return {timed.begin() + quarter, timed.end() - quarter};
}

std::vector<double> mean_items(const std::vector<const StepRecord*>& steps) {
  if (steps.empty()) return {};
  std::vector<double> mean(steps.front()->item_seconds.size());
  for (const StepRecord* step : steps) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += step->item_seconds[i] / static_cast<double>(steps.size());
    }
  }
  return mean;
}

}  // namespace

double median_after(std::vector<double> values, std::int64_t warm_up) {
  const auto count = std::min<std::ptrdiff_t>(warm_up, static_cast<std::ptrdiff_t>(values.size()));
  values.erase(values.begin(), values.begin() + count);
  return median(std::move(values));
}

namespace {

void take_means(const StepRecord& from, StepRecord& to) {
  to.seconds = from.seconds;
  to.bytes = from.bytes;
  to.item_seconds = from.item_seconds;
  to.item_bytes = from.item_bytes;
}

/// The means of some steps, in each of them.
void spread(std::span<StepRecord> steps) {
  const auto count = static_cast<double>(steps.size());
  StepRecord mean = steps.front();
  for (const StepRecord& step : steps.subspan(1)) {
    mean.seconds += step.seconds;
    mean.bytes += step.bytes;
    for (std::size_t i = 0; i < mean.item_seconds.size(); ++i) {
      mean.item_seconds[i] += step.item_seconds[i];
      mean.item_bytes[i] += step.item_bytes[i];
    }
  }
  mean.seconds /= count;
  mean.bytes = std::llround(static_cast<double>(mean.bytes) / count);
  for (double& seconds : mean.item_seconds) seconds /= count;
  for (double& bytes : mean.item_bytes) bytes /= count;
  for (StepRecord& step : steps) take_means(mean, step);
}

}  // namespace

void spread_bytes(std::vector<StepRecord>& steps) {
  if (steps.empty()) return;
  const auto count = static_cast<double>(steps.size());
  std::int64_t bytes = 0;
  std::vector<double> items(steps.front().item_bytes.size());
  for (const StepRecord& step : steps) {
    bytes += step.bytes;
    for (std::size_t i = 0; i < items.size(); ++i) items[i] += step.item_bytes[i];
  }
  for (double& item : items) item /= count;
  for (StepRecord& step : steps) {
    step.bytes = std::llround(static_cast<double>(bytes) / count);
    step.item_bytes = items;
  }
}

std::vector<StepRecord> over_periods(std::vector<StepRecord> steps, std::int64_t period,
                                     std::int64_t warm_up) {
  if (period == 1) return steps;
  const auto length = static_cast<std::size_t>(period);
  auto begin = static_cast<std::size_t>(warm_up);
  for (; begin + length <= steps.size(); begin += length) {
    spread(std::span(steps).subspan(begin, length));
  }
  for (std::size_t i = begin; i < steps.size() && i > 0; ++i) take_means(steps[i - 1], steps[i]);
  return steps;
}

namespace {

void add_squares(std::span<const StepRecord> steps, std::int64_t warm_up, RankRecord& record) {
  record.part_samples = steps.back().squares.part_samples;
  if (record.part_samples == 0) return;
  std::vector<double> seconds;
  for (const StepRecord& step : steps) {
    record.part_squares.push_back(step.squares.part);
    record.whole_squares.push_back(step.squares.whole);
    seconds.push_back(step.squares.seconds);
  }
  record.squares_seconds = median_after(std::move(seconds), warm_up);
}

}  // namespace

RankRecord summarize(int rank, std::vector<RankStage> stages, std::span<const StepRecord> steps,
                     std::int64_t warm_up) {
  RankRecord record;
  record.rank = rank;
  record.stages = std::move(stages);
  if (steps.empty()) return record;
  for (const StepRecord& step : steps) {
    record.losses.push_back(step.loss);
    record.step_seconds.push_back(step.seconds);
    record.speeds.push_back(step.speed);
    if (!step.replayed) record.input_seconds.push_back(step.input_seconds);
    record.peak_memory = std::max(record.peak_memory, step.peak_memory);
    record.replayed_steps += step.replayed ? 1 : 0;
    record.skipped_steps += step.skipped ? 1 : 0;
  }
  record.item_seconds = mean_items(typical_steps(steps, warm_up));
  std::vector<double> scale_seconds;
  for (const StepRecord& step : steps) scale_seconds.push_back(step.scale_seconds);
  record.scale_seconds = median_after(std::move(scale_seconds), warm_up);
  add_squares(steps, warm_up, record);
  record.loss_scale = steps.back().loss_scale;
  record.item_bytes = steps.back().item_bytes;
  record.counted_bytes = steps.back().bytes;
  return record;
}

std::string to_text(const RankRecord& r) {
  nlohmann::ordered_json choices = nlohmann::ordered_json::array();
  for (const Choice& choice : r.choices) choices.push_back(choice_json(choice));
  nlohmann::json stages = nlohmann::json::array();
  for (const RankStage& own : r.stages) stages.push_back({own.stage, own.first_item, own.values});
  return nlohmann::json{{"rank", r.rank},
                        {"stages", std::move(stages)},
                        {"losses", r.losses},
                        {"step_seconds", r.step_seconds},
                        {"speeds", r.speeds},
                        {"input_seconds", r.input_seconds},
                        {"item_seconds", r.item_seconds},
                        {"item_bytes", r.item_bytes},
                        {"counted_bytes", r.counted_bytes},
                        {"peak_memory", r.peak_memory},
                        {"replayed_steps", r.replayed_steps},
                        {"skipped_steps", r.skipped_steps},
                        {"loss_scale", r.loss_scale},
                        {"scale_seconds", r.scale_seconds},
                        {"stale_gradients", r.staleness.gradients},
                        {"staleness_sum", r.staleness.sum},
                        {"most_stale", r.staleness.most},
                        {"part_squares", r.part_squares},
                        {"whole_squares", r.whole_squares},
                        {"part_samples", r.part_samples},
                        {"squares_seconds", r.squares_seconds},
                        {"choices", std::move(choices)},
                        {"input_images", r.input.images},
                        {"input_worker_seconds", r.input.seconds},
                        {"checkpoint_bytes", r.checkpoints.bytes},
                        {"checkpoints_waited", r.checkpoints.waited},
                        {"checkpoints_written", r.checkpoints.written},
                        {"serial_losses", r.serial_losses},
                        {"disturbed_losses", r.disturbed_losses},
                        {"differences", r.differences}}
      .dump();
}

RankRecord parse_record(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  RankRecord record;
  json.at("rank").get_to(record.rank);
  for (const nlohmann::json& own : json.at("stages")) {
    record.stages.push_back({own.at(0), own.at(1), own.at(2)});
  }
  record.losses = read_numbers(json.at("losses"));
  json.at("step_seconds").get_to(record.step_seconds);
  json.at("speeds").get_to(record.speeds);
  json.at("input_seconds").get_to(record.input_seconds);
  json.at("item_seconds").get_to(record.item_seconds);
  json.at("item_bytes").get_to(record.item_bytes);
  json.at("counted_bytes").get_to(record.counted_bytes);
  json.at("peak_memory").get_to(record.peak_memory);
  json.at("replayed_steps").get_to(record.replayed_steps);
  json.at("skipped_steps").get_to(record.skipped_steps);
  json.at("loss_scale").get_to(record.loss_scale);
  json.at("scale_seconds").get_to(record.scale_seconds);
  json.at("stale_gradients").get_to(record.staleness.gradients);
  json.at("staleness_sum").get_to(record.staleness.sum);
  json.at("most_stale").get_to(record.staleness.most);
  record.part_squares = read_numbers(json.at("part_squares"));
  record.whole_squares = read_numbers(json.at("whole_squares"));
  json.at("part_samples").get_to(record.part_samples);
  json.at("squares_seconds").get_to(record.squares_seconds);
  for (const nlohmann::json& choice : json.at("choices")) {
    record.choices.push_back(choice_of(choice));
  }
  json.at("input_images").get_to(record.input.images);
  json.at("input_worker_seconds").get_to(record.input.seconds);
  json.at("checkpoint_bytes").get_to(record.checkpoints.bytes);
  json.at("checkpoints_waited").get_to(record.checkpoints.waited);
  json.at("checkpoints_written").get_to(record.checkpoints.written);
  record.serial_losses = read_numbers(json.at("serial_losses"));
  record.disturbed_losses = read_numbers(json.at("disturbed_losses"));
  json.at("differences").get_to(record.differences);
  return record;
}

}  // namespace oracle
