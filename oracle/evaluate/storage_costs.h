#pragma once
// Does the input keep up with the step, and what do checkpoints cost?
//
// Of a storage that is described, reading.h says how long reading takes. Of what a profile
// measured:
//
// Samples are read while the step before computes (validate/data/loader.h), so what a step waits
// for is what reading takes longer than it. A rank of the first stage needs n samples of b bytes in
// a step; W workers each read one (at r bytes a second, at random) and decode it (at d); the H
// ranks of one stage that the innermost level holds share a storage:
//
//   storage   n·H·b/r                 0 where the rate was measured from memory
//   workers   n·(b/r + b/d)/W
//   exposed   max(0, max(storage, workers) − step)
//
// Workers are taken to have processors of their own, and storage to serve many readers no faster
// than one. A sample's bytes are its values, one byte each; reading counts these as well, however
// small its file is. A checkpoint holds all weights, their master copies and the optimizer's state,
// written whole through one host's storage while training waits; every k steps it costs 1/k of its
// time a step.
//
// Worked: 32 samples of 3x224x224, 100 MB/s read, 50 MB/s decoded, 1 worker, a step of 100 ms:
// storage 48.2 ms, workers 145 ms, exposed 44.5 ms    tests/evaluate/storage_costs_test.cpp

#include <cstdint>
#include <optional>

#include "oracle/evaluate/evaluation.h"
#include "oracle/evaluate/reading.h"

namespace oracle {

struct StorageRequest {
  std::int64_t workers = 1;           ///< of each rank
  std::int64_t checkpoint_every = 0;  ///< steps; 0: never
  /// From a storage that is described, in place of what the profile measured.
  std::optional<SampleReading> reading{};
};

/// What a step on a described storage errs by: its curve is of another machine of the kind.
inline constexpr double kReadingUncertainty = 0.3;

struct InputCost {
  std::int64_t samples = 0;  ///< of one rank
  Bytes sample;
  Cost storage, workers;
  Cost exposed;         ///< of the larger
  bool cached = false;  ///< samples were in memory when reading was measured

  bool limited_by_workers() const { return workers.time > storage.time; }
};

struct CheckpointCost {
  Bytes bytes;
  Cost time;  ///< of one
};

struct StorageCosts {
  StorageRequest request;
  std::optional<InputCost> input{};  ///< absent where reading or decoding was not measured
  std::optional<CheckpointCost> checkpoint{};  ///< absent where writing was not measured
  Cost step{};                                 ///< with all that was asked for
};

/// A byte a value, as images are kept.
Bytes bytes_of_a_sample(const Graph& graph);

/// All weights that are trained, their master copies and the optimizer's state.
/// Worked: 25,557,032 parameters in fp32 with momentum are 204 MB
Bytes checkpoint_bytes(const Graph& graph, const Training& training);

/// What the storage of a profile takes for it; nothing where writing was not measured.
std::optional<Cost> checkpoint_time(const Profile& profile, Bytes bytes);
/// What a described storage takes.
Cost checkpoint_time(const StorageSystem& storage, Bytes bytes);

/// What a profile's rates, or the storage that is asked for, say of an evaluation that fits;
/// nothing where there is neither.
std::optional<StorageCosts> storage_costs(const Setting& setting, const Evaluation& evaluation,
                                          const StorageRequest& request);

}  // namespace oracle
