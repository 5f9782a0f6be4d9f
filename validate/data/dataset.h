#pragma once
// What is learned from when no data is brought?
//
// A generated set that a network can learn: sample n has a class, and its values are a wave whose
// direction and length belong to the class, with a phase and noise of the sample's own:
//
//   x[n, c, p] = sin(k_class · p + phase_n + c) + 0.3·noise
//
// A network that looks its input up in a table gets whole numbers: the height of that wave, in as
// many steps as the table has rows. Every value follows from seed, sample and position, so a rank
// loads just its part. Targets: the class per image, for a network that answers per position the
// class where the wave is low and the next class where it is high; for regression a wave of the
// class over the outputs.
//                                                           tests/validate/data/dataset_test.cpp

#include <cstdint>
#include <span>

#include "oracle/graph/graph.h"
#include "validate/data/sample_source.h"

namespace oracle {

class Dataset : public SampleSource {
 public:
  /// For a network's input and its loss.
  Dataset(const Graph& graph, std::uint64_t seed);

  void inputs(const Region& region, std::int64_t first_sample,
              std::span<float> values) const override;
  /// The same wave as the first text's, with noise of its own.
  void further(const Region& region, std::int64_t first_sample,
               std::span<float> values) const override;
  void targets(const Region& region, std::int64_t first_sample,
               std::span<float> values) const override;

  std::int64_t classes() const { return classes_; }
  std::int64_t class_of(std::int64_t sample) const;

 private:
  struct Wave;
  Wave wave_of(std::int64_t sample) const;
  void fill(const Region& region, std::int64_t first_sample, std::uint64_t stream,
            std::span<float> values) const;

  std::uint64_t seed_;
  std::int64_t classes_ = 1;
  bool classifies_ = true;
  std::int64_t entries_ = 0;  ///< of the table that the input is looked up in; 0: none
  Shape shape_;               ///< of the input
  Shape target_shape_;        ///< of what the loss reads
};

}  // namespace oracle
