// A run whose kernels compute rectifiers as well equals the serial run whose kernels compute one
// layer each, for every way to cut; a back end without such kernels says so.

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/error.h"
#include "tests/validate/networks.h"
#include "tests/validate/runs.h"

namespace oracle {
namespace equivalence_fusion_test {

RunOptions fusing(std::int64_t batch) {
  RunOptions options;
  options.batch = batch;
  options.fusions = fusions_of_kernels(DeviceClass::cpu);
  options.backend = [] { return make_cpu_backend(1); };
  return options;
}

void expect_equal(const Outcome& outcome) {
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_TRUE(outcome.check->missing.empty());
  EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal);
  for (const ParameterError& error : outcome.check->errors) {
    EXPECT_LE(error.relative, kFp32Rounding.equal) << error.name;
  }
  EXPECT_EQ(outcome.unplanned_bytes, 0);
}

class FusedNetwork : public testing::TestWithParam<std::string_view> {};

TEST_P(FusedNetwork, EqualsTheSerialRunWithKernelsOfOneLayerEach) {
  expect_equal(run_both(plain_network(), GetParam(), fusing(4)));
  expect_equal(run_both(uneven_network(), GetParam(), fusing(7)));
}
INSTANTIATE_TEST_SUITE_P(Equivalence, FusedNetwork,
                         testing::Values("serial", "data:2", "filter:2", "channel:2", "tensor:2",
                                         "height:2", "height:2,width:2", "data:2,filter:2",
                                         "pipeline:2; micro_batches=3", "data:2; micro_batches=2",
                                         "conv*=data:2; fc*=channel:2"));

std::vector<std::string> forward_items(const Outcome& outcome) {
  std::vector<std::string> names;
  for (const ItemOutcome& item : outcome.items) {
    if (item.item.phase == Phase::forward) names.push_back(item.name);
  }
  return names;
}

TEST(FusedRun, HasNoItemForARectifierInForward) {
  const auto with = forward_items(run_alone(plain_network(), "serial", fusing(4)));
  const auto without = forward_items(run_alone(plain_network(), "serial; fusion=off", fusing(4)));
  EXPECT_LT(with.size(), without.size());
  for (const std::string& name : with) EXPECT_EQ(name.find("relu"), std::string::npos) << name;
}

/// A back end that has no kernel of a batch norm and its rectifier, planned for one that has.
TEST(FusedRun, IsRefusedWhereThePlanFusesMoreThanTheBackEnd) {
  RunOptions options = fusing(4);
  options.fusions = fusions_of_kernels(DeviceClass::gpu);
  try {
    run_alone(shortcut_network(), "serial", options);
    FAIL() << "no processor's batch norm rectifies";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("stem_norm"), std::string::npos) << error.what();
  }
}

TEST(FusedRun, IsRefusedByABackEndThatComputesOneLayerAtATime) {
  RunOptions options = fusing(4);
  options.backend = {};
  try {
    run_alone(plain_network(), "serial", options);
    FAIL() << "the plain back end has no fused kernels";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("fusion=off"), std::string::npos) << error.what();
  }
}

}  // namespace equivalence_fusion_test
}  // namespace oracle
