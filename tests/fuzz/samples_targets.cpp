#include <cmath>

#include "oracle/calibrate/sampled_kernels.h"
#include "oracle/io/samples/samples_reader.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {

void samples_file(std::string_view text) {
  samples::Samples read;
  const bool sound = reads([&] {
    const std::array<json::Document, 1> documents = {json::parse(text, "seed.json")};
    read = read_samples(documents);
  });
  if (!sound) return;
  for (const auto& step : read.steps) {
    ensure(step.found || step.failure, "a step that neither ran nor failed");
    ensure(step.run < read.runs.size(), "a step of no run");
    ensure(!step.found || step.found->phases.step.median.value > 0, "a step that took no time");
  }
  for (const KernelTime& kernel : sampled_kernels(read).kernels) {
    const double seconds = kernel.cost.time.value;
    ensure(std::isfinite(seconds) && seconds > 0 && std::isfinite(kernel.cost.uncertainty),
           "a kernel whose time is no number");
  }
}

}  // namespace oracle::fuzz
