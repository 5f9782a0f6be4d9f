#pragma once
// Where do the samples of a run come from?               tests/validate/train/input_test.cpp

#include <memory>
#include <string>

#include "microbench/comm/communicator.h"
#include "validate/data/loader.h"
#include "validate/train/request.h"

namespace oracle {

/// Of a run with images of one's own; without, the generated set is made on the way.
struct RunInput {
  std::string text = "generated";
  std::int64_t images = 0;
  std::unique_ptr<ImageSet> set;
  std::unique_ptr<Loader> loader;

  const SampleSource* samples() const { return loader.get(); }
};

/// Opens and checks what --data names. Throws InputError with every problem of the images, and
/// where they do not suit the network. `reader`, "rank 1", is who a read that hangs is reported by.
RunInput open_input(const TrainRequest& request, const std::string& reader = {});

/// The same on every rank. Where only some ranks find their images as they should be, rank 0 throws
/// EnvironmentError naming the first of the others: its host lacks what another has.
RunInput open_input(const TrainRequest& request, Communicator& communicator);

}  // namespace oracle
