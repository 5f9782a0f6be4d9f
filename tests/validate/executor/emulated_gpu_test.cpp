// A step on a device: the host gives it work and waits for it once, when the step is over
// (tests/emulated_gpu/README.md).

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/emulated_gpu/backend.h"
#include "tests/emulated_gpu/stream.h"
#include "tests/validate/in_process.h"
#include "tests/validate/networks.h"
#include "tests/validate/on_the_device.h"
#include "validate/data/dataset.h"
#include "validate/equivalence/solo.h"
#include "validate/executor/executor.h"

namespace oracle {
namespace executor_emulated_gpu_test {

using testing::HasSubstr;

class OnADevice : public testing::TestWithParam<std::string_view> {
 protected:
  static Graph network() {
    return GetParam() == "residual" ? residual_network() : network_of_file(GetParam());
  }
};

/// Once before it begins, for its samples, and once at its end.
TEST_P(OnADevice, AStepWaitsAtItsEndsAlone) {
  const Graph graph = network();
  const Plan plan = plan_of(graph, "serial", 4);
  Solo solo;
  const auto backend = emulated_gpu_backend();
  Executor executor(graph, plan, *backend, solo, {});
  executor.step(1);  // looks for algorithms and takes memory
  executor.step(2);
  emulated::stops() = {};
  const StepRecord record = executor.step(3);
  EXPECT_EQ(emulated::stops().waits, 2);
  EXPECT_EQ(emulated::stops().pageable_copies, 0);
  EXPECT_EQ(emulated::stops().allocations, 0);
  EXPECT_GT(record.loss, 0);
}

/// Each item has the device's own time of it, and together they are no more than the step.
TEST_P(OnADevice, ItemsAreTimedAllTheSame) {
  const Graph graph = network();
  const Plan plan = plan_of(graph, "serial", 4);
  Solo solo;
  const auto backend = emulated_gpu_backend();
  Executor executor(graph, plan, *backend, solo, {});
  executor.step(1);
  const StepRecord record = executor.step(2);
  double sum = 0;
  for (const double seconds : record.item_seconds) {
    EXPECT_GT(seconds, 0);
    sum += seconds;
  }
  EXPECT_LE(sum, record.seconds);
  EXPECT_GT(sum, 0.2 * record.seconds);
  EXPECT_GT(record.input_seconds, 0);
}
INSTANTIATE_TEST_SUITE_P(Executor, OnADevice, testing::Values("residual", "text", "attention"));

/// Samples as they are generated, but for one value.
class WithABadValue : public SampleSource {
 public:
  WithABadValue(const Graph& graph, bool in_targets, float value)
      : good_(graph, 1), in_targets_(in_targets), value_(value) {}
  void inputs(const Region& region, std::int64_t first, std::span<float> values) const override {
    good_.inputs(region, first, values);
    if (!in_targets_) values.back() = value_;
  }
  void targets(const Region& region, std::int64_t first, std::span<float> values) const override {
    good_.targets(region, first, values);
    if (in_targets_) values.back() = value_;
  }

 private:
  Dataset good_;
  bool in_targets_;
  float value_;
};

/// What the step says of it.
std::string error_of(const Graph& graph, bool in_targets, float value) {
  const WithABadValue samples(graph, in_targets, value);
  const Plan plan = plan_of(graph, "serial", 4);
  Solo solo;
  const auto backend = emulated_gpu_backend();
  ExecutorOptions options;
  options.samples = &samples;
  Executor executor(graph, plan, *backend, solo, options);
  try {
    executor.step(1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(BadValues, OfTargetsAreNamedWhenTheStepIsOver) {
  EXPECT_THAT(error_of(plain_network(), true, 6), HasSubstr("a sample's class is 6.000000"));
  EXPECT_THAT(error_of(plain_network(), true, -1), HasSubstr("and the network has 6"));
  EXPECT_EQ(error_of(plain_network(), true, 5), "none");
}

TEST(BadValues, OfATextAreNamedWhenTheStepIsOver) {
  for (const float value : {-1.0F, 1e9F, NAN}) {
    EXPECT_THAT(error_of(network_of_file("text"), false, value),
                HasSubstr("its table has rows 0 to"));
  }
  EXPECT_EQ(error_of(network_of_file("text"), false, 0), "none");
}

}  // namespace executor_emulated_gpu_test
}  // namespace oracle
