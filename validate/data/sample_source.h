#pragma once
// What does a rank train on?
//
// Samples are numbered through the whole run: step s of a batch B takes [(s − 1)·B, s·B). Whoever
// answers gives the same values for a sample and a position on every rank, however the network is
// cut. Rows of the answer are the region's, in its order.

#include <cstdint>
#include <span>

#include "validate/program/region.h"

namespace oracle {

/// Images that were made ready, and the time that this took; none where nothing is counted.
struct InputCount {
  std::int64_t images = 0;
  double seconds = 0;  ///< of all workers together
  bool operator==(const InputCount&) const = default;
};

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Values of the input's region, samples counted from `first_sample`.
  virtual void inputs(const Region& region, std::int64_t first_sample,
                      std::span<float> values) const = 0;
  /// Of the region of a second text. Throws InputError where samples have none.
  virtual void further(const Region& region, std::int64_t first_sample,
                       std::span<float> values) const;
  virtual void targets(const Region& region, std::int64_t first_sample,
                       std::span<float> values) const = 0;
  virtual InputCount count() const { return {}; }
};

}  // namespace oracle
