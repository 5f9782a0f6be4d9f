#include "validate/record/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/io/predictions/prediction_reader.h"
#include "oracle/report/text.h"

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// By step: of parts the mean over ranks; the whole is the same on all of them.
std::vector<NoiseStep> squares_of(std::span<const RankRecord> records) {
  std::vector<NoiseStep> steps;
  for (std::size_t s = 0; s < records.front().whole_squares.size(); ++s) {
    NoiseStep squares{0, records.front().whole_squares[s]};
    for (const RankRecord& record : records) {
      squares.small += record.part_squares[s] / static_cast<double>(records.size());
    }
    steps.push_back(squares);
  }
  return steps;
}

NoiseBatches batches_of(std::span<const RankRecord> records, std::int64_t batch) {
  double inverse = 0;
  for (const RankRecord& record : records) {
    inverse += 1 / static_cast<double>(record.part_samples) / static_cast<double>(records.size());
  }
  return {1 / inverse, static_cast<double>(batch)};
}

std::string samples_text(double samples) {
  return std::isfinite(samples) ? report::significant(samples) : "no figure";
}

/// What is infinite is left out.
Json scale_json(const NoiseScale& scale) {
  Json json = Json::object();
  if (std::isfinite(scale.batch())) json["samples"] = scale.batch();
  if (std::isfinite(scale.low)) json["low"] = scale.low;
  if (std::isfinite(scale.high)) json["high"] = scale.high;
  json["noise"] = scale.noise;
  json["signal"] = scale.signal;
  return json;
}

/// Estimates may be below zero.
double read_estimate(json::ObjectReader& reader, const char* key) {
  if (!reader.has(key)) reader.problem("", "has no " + in_quotes(key), "add it");
  return reader.number(key, std::numeric_limits<double>::lowest(), 0);
}

NoiseScale read_scale(json::ObjectReader& reader) {
  NoiseScale scale;
  reader.number("samples", 0, 0);
  scale.low = reader.number("low", 0, kInfinity);
  scale.high = reader.number("high", 0, kInfinity);
  scale.noise = read_estimate(reader, "noise");
  scale.signal = read_estimate(reader, "signal");
  return scale;
}

NoiseScale read_half(json::ObjectReader& object, const char* key, json::Problems& problems) {
  const json::Node* node = object.object(key, true);
  if (node == nullptr) return {};
  json::ObjectReader reader(*node, object.pointer_to(key), problems);
  const NoiseScale scale = read_scale(reader);
  reader.finish();
  return scale;
}

}  // namespace

std::optional<RunNoise> noise_of(std::span<const RankRecord> records, std::int64_t batch) {
  if (records.front().part_samples == 0) return std::nullopt;
  const std::vector<NoiseStep> all = squares_of(records);
  const auto finite = [](const NoiseStep& step) {
    return std::isfinite(step.small) && std::isfinite(step.large);
  };
  if (!std::all_of(all.begin(), all.end(), finite)) return std::nullopt;
  const std::span<const NoiseStep> steps(all);
  const std::size_t half = steps.size() / 2;
  RunNoise noise;
  noise.batches = batches_of(records, batch);
  noise.scale = noise_scale(steps, noise.batches);
  noise.first_half = noise_scale(steps.first(std::max<std::size_t>(half, 1)), noise.batches);
  noise.second_half = noise_scale(steps.subspan(half), noise.batches);
  for (const RankRecord& record : records) {
    noise.seconds = std::max(noise.seconds, record.squares_seconds);
  }
  return noise;
}

std::string to_text(const RunNoise& noise) {
  const NoiseScale& scale = noise.scale;
  std::string text;
  if (std::isfinite(scale.batch())) {
    text = samples_text(scale.batch()) + " samples (90 %: " + samples_text(scale.low);
    text += std::isfinite(scale.high) ? " to " + samples_text(scale.high) + ")" : " or more)";
  } else {
    text = "no figure: gradients of " + report::significant(noise.batches.large) +
           " samples are little but noise; take a larger batch, or more steps";
  }
  return text + "; " + samples_text(noise.first_half.batch()) +
         " in the first half of the steps, " + samples_text(noise.second_half.batch()) +
         " in the second";
}

Json noise_json(const RunNoise& noise) {
  Json json = scale_json(noise.scale);
  json["first_half"] = scale_json(noise.first_half);
  json["second_half"] = scale_json(noise.second_half);
  json["small_batch"] = noise.batches.small;
  json["large_batch"] = noise.batches.large;
  json["seconds"] = noise.seconds;
  return json;
}

std::optional<RunNoise> read_noise(json::ObjectReader& object, json::Problems& problems) {
  const json::Node* node = object.object("noise_scale", false);
  if (node == nullptr) return std::nullopt;
  json::ObjectReader reader(*node, object.pointer_to("noise_scale"), problems);
  RunNoise noise;
  noise.scale = read_scale(reader);
  noise.first_half = read_half(reader, "first_half", problems);
  noise.second_half = read_half(reader, "second_half", problems);
  noise.batches = {required_number(reader, "small_batch"), required_number(reader, "large_batch")};
  noise.seconds = required_number(reader, "seconds");
  reader.finish();
  return noise;
}

}  // namespace oracle
