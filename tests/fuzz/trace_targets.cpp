#include <cmath>
#include <sstream>
#include <string>

#include "oracle/calibrate/calibrate.h"
#include "oracle/calibrate/kernel_table.h"
#include "oracle/calibrate/traced_samples.h"
#include "oracle/io/traces/kineto_reader.h"
#include "oracle/record/traced_step.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

bool is_time(Seconds time) { return std::isfinite(time.value) && time.value >= 0; }

void check_step(const TracedStep& step) {
  ensure(step.steps >= 1 && is_time(step.step), "a step that took no time");
  const Seconds parts = step.compute + step.exposed_communication + step.exposed_copies + step.idle;
  const double off = std::abs((parts - step.step).value);
  ensure(off <= 1e-9 * step.step.value + 1e-15, "parts that do not add up to the step");
  ensure(step.exposed_communication <= step.communication + Seconds{1e-15} &&
             is_time(step.exposed_communication) && is_time(step.exposed_copies),
         "more exposed than there is");
  Seconds unknown;
  for (const TracedName& one : step.unknown) unknown += one.of.time;
  const double known = step.of(KernelClass::unknown).time.value;
  ensure(std::abs(unknown.value - known) <= 1e-9 * known + 1e-15, "unknown kernels without a name");
}

}  // namespace

void trace_file(std::string_view text) {
  Trace trace;
  if (!reads([&] {
        std::istringstream stream{std::string(text)};
        trace = read_kineto(stream, "seed.json");
      })) {
    return;
  }
  check_step(traced_step(trace));
  MeasurementHints hints;
  hints.level = "node";
  const TracedSamples found = traced_samples(trace, "seed.json", hints);
  for (const KernelSample& sample : found.samples.kernels) {
    ensure(sample.time.median.value > 0 && sample.time.low <= sample.time.median &&
               sample.time.median <= sample.time.high,
           "a kernel that took no time");
  }
  for (const LinkSample& sample : found.samples.links) {
    ensure(believable(sample.bytes) && believable(sample.median) && sample.ranks >= 2,
           "a link that measured nothing");
  }
  kernel_table(found.samples.kernels);
}

}  // namespace oracle::fuzz
