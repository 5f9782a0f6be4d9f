#pragma once
// How do a set's images reach training in time?
//
// Worker threads read the images that the next step will ask for while this one computes: whoever
// asks for sample g of a batch B is taken to ask for g + B next. A value v in 0 … 255 becomes
// v/127.5 − 1. What a rank gets follows from seed and sample alone, whatever the number of workers.
//
// Worked: one image of values 0, 255 → −1, 1                   tests/validate/data/loader_test.cpp

#include <memory>

#include "oracle/graph/graph.h"
#include "validate/data/images/image_set.h"
#include "validate/data/sample_source.h"

namespace oracle {

struct LoaderOptions {
  std::uint64_t seed = 1;
  std::int64_t batch = 1;
  int workers = 1;  ///< 0: images are read when they are asked for
};

class Loader : public SampleSource {
 public:
  /// The set outlives the loader.
  Loader(const ImageSet& images, const LoaderOptions& options);
  ~Loader() override;

  void inputs(const Region& region, std::int64_t first_sample,
              std::span<float> values) const override;
  void targets(const Region& region, std::int64_t first_sample,
               std::span<float> values) const override;
  InputCount count() const override;

 private:
  class Pool;
  const ImageSet& images_;
  LoaderOptions options_;
  std::unique_ptr<Pool> pool_;
};

/// Throws InputError where the network's input and answer are not those of the set's images.
void require_fit(const ImageSet& images, const Graph& graph);

}  // namespace oracle
