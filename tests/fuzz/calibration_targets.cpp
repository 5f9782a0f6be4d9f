#include <cmath>

#include "oracle/accuracy/profile_comparison.h"
#include "oracle/calibrate/calibrate.h"
#include "oracle/graph/layer_case.h"
#include "oracle/io/clusters/here.h"
#include "oracle/io/models/model_reader.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

void check_cost(const Cost& cost) {
  ensure(std::isfinite(cost.time.value) && cost.time.value > 0, "a kernel whose time is no number");
  ensure(std::isfinite(cost.uncertainty) && cost.uncertainty >= 0,
         "a kernel whose uncertainty is no number");
}

/// Every fit gives every kernel of the table a time.
void check_profile(const Profile& profile) {
  for (const KernelTime& kernel : profile.kernels) {
    check_cost(kernel.cost);
    for (const KernelFit& fit : profile.fits) check_cost(price_of(fit, kernel.key));
  }
}

void check_can_be_read(const ProfileFile& file) {
  const std::string written = write_profile(file);
  const bool read = reads([&] { read_profile(json::parse(written, "seed.json")); });
  ensure(read, "a profile that its own reader refuses");
}

void check_equals_itself(const ProfileFile& file) {
  const ProfiledMachine machine{file.cluster, file.profile};
  const ComparisonSummary whole = compare_profiles(machine, machine).whole;
  ensure(whole.of(Verdict::equal) == whole.compared && whole.of(Verdict::missing) == 0,
         "a profile that differs from itself");
}

}  // namespace

void layer_case(std::string_view text) {
  reads([&] {
    const LayerCase of = parse_layer_case(text);
    ensure(to_text(parse_layer_case(to_text(of))) == to_text(of), "a layer that changes when read");
    ensure(layer_of(of).output.elements() >= 1, "a layer without an output");
  });
}

void calibration_file(std::string_view text) {
  static const Cluster machine = describe_host("", "", 4);
  Calibration found;
  const bool fitted = reads([&] {
    const CalibrationSamples samples = read_calibration_samples(json::parse(text, "seed.json"));
    for (const KernelSample& sample : samples.kernels) {
      ensure(sample.time.median.value > 0, "a kernel that took no time");
    }
    found = calibrate(samples, machine, "seed");
    check_profile(found.file.profile);
  });
  if (fitted) check_can_be_read(found.file);
}

void profile_file(std::string_view text) {
  static const Graph graph = load_model("alexnet");
  static const Strategy strategy = parse_strategy("data:2");
  ProfileFile read;
  if (!reads([&] { read = read_profile(json::parse(text, "seed.json")); })) return;
  check_profile(read.profile);
  const std::string written = write_profile(read);
  ensure(write_profile(read_profile(json::parse(written, "seed.json"))) == written,
         "a profile that changes when read");
  check_engine(graph, read.cluster, strategy);
  check_equals_itself(read);
}

}  // namespace oracle::fuzz
