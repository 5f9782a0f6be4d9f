#pragma once
// What did a run leave behind, as numbers to compare?
//
// run.json (validate/train/result.h), read strictly: every problem with file, line and remedy.
// Times of items are means over typical steps after warm-up (train/rank_record.h) and over the
// ranks with the largest pieces (train/outcome.h); a transfer's time is what they waited for it, so
// it is exposed time.
//
//   step after warm-up   steps w+1 … n, of which the replayed ones alone where there are some:
//                        median, and the 10th and 90th percentile
//
// Worked: steps of 9, 1, 3, 2 s and one to warm up → median 2 s, percentiles 1.2 s and 2.8 s
//                                                     tests/validate/record/measurement_test.cpp

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/io/json/document.h"
#include "oracle/record/prediction.h"
#include "validate/record/choices.h"
#include "validate/record/noise.h"

namespace oracle {

struct SerialCheck {
  bool holds = false;
  double tolerance = 0;
  double loss_error = 0;
  double gradient_error = 0;  ///< the largest
  std::string parameter;      ///< whose
};

/// What it trained on, and how long a step waits for that.
struct RunInputRate {
  std::string data;              ///< "WebDataset, data/photos.tar"
  double wait_seconds = 0;       ///< of the rank that waits longest, in the median
  double images_per_second = 0;  ///< that a rank's workers read; 0 where the samples are made
};

/// Of a run in fp16.
struct RunLossScale {
  double last = 1;
  std::int64_t skipped_steps = 0;
  double seconds = 0;  ///< of a step, to look for bad gradients and agree on it: priced nowhere
};

/// Checkpoints that it wrote.
struct RunCheckpoints {
  bool asynchronous = false;
  std::int64_t count = 0;
  double bytes = 0;          ///< of the state in one
  double wait_seconds = 0;   ///< of training for one, in the median
  double write_seconds = 0;  ///< until it was on the medium, in the median
};

/// Of servers that do not wait: updates by others that a gradient came after.
struct RunStaleness {
  double mean = 0;
  std::int64_t most = 0;
};

struct Measurement {
  Asked asked;
  std::int64_t chunks = 1;  ///< stages of each rank of a pipeline, as its strategy says
  std::vector<std::pair<std::string, std::string>> context;  ///< in the order written
  std::vector<double> losses;                                ///< NaN where training diverged
  std::vector<double> step_seconds;
  std::int64_t replayed_steps = 0;  ///< the last ones, which alone tell the time of a step
  std::vector<LayerSeconds> layers;
  std::vector<TransferSeconds> transfers;
  std::vector<double> update;  ///< of all weights, by stage [s]
  double sent_bytes = 0;       ///< of a step by all ranks, as the communicator counts
  double items_sent_bytes = 0;
  double peak_memory = 0;
  double footprint = 0;
  std::vector<ChosenAlgorithm> algorithms;  ///< in the order written
  std::optional<RunLossScale> loss_scale;
  std::optional<RunStaleness> staleness;
  std::optional<RunNoise> noise;
  std::optional<RunInputRate> input;
  std::optional<RunCheckpoints> checkpoints;
  std::optional<SerialCheck> check;
};

struct StepSpread {
  double median = 0, p10 = 0, p90 = 0;
  std::size_t steps = 0;  ///< that were counted
};

/// Throws InputError where no step is left after the warm-up.
StepSpread spread_after(const Measurement& run, std::int64_t warm_up);

inline constexpr const char* kRunSchema = "oracle/run/1";

/// Throws InputError with every problem.
Measurement parse_measurement(const json::Document& document);

/// Throws EnvironmentError too, where the file cannot be read.
Measurement read_measurement(const std::filesystem::path& file);

}  // namespace oracle
