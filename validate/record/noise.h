#pragma once
// How large is the gradient noise scale of a run, and in which form is it kept?
//
// Squares of gradients, as ranks added them up (executor/gradient_squares.h), make an estimate of
// all steps, and one of each half, for it changes as a network learns
// (oracle/budget/noise_scale.h).                         tests/validate/record/noise_test.cpp

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "oracle/budget/noise_scale.h"
#include "oracle/io/json/document.h"
#include "validate/record/rank_record.h"

namespace oracle {

struct RunNoise {
  NoiseScale scale, first_half, second_half;
  NoiseBatches batches;
  double seconds = 0;  ///< of a step, of the slowest rank, in the median; priced nowhere
};

/// None where it was not asked for, or gradients have left the numbers.
std::optional<RunNoise> noise_of(std::span<const RankRecord> records, std::int64_t batch);

/// "214 samples (90 %: 180 to 260); 120 in the first half of the steps, 340 in the second"
std::string to_text(const RunNoise& noise);

nlohmann::ordered_json noise_json(const RunNoise& noise);

/// Of what noise_json wrote, the member "noise_scale".
std::optional<RunNoise> read_noise(json::ObjectReader& object, json::Problems& problems);

}  // namespace oracle
