// Kernels that leave what the rectifier behind their layer makes, and the gradients that belong to
// it; which layers have them is what the engine says of the device.

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/fusion.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace fused_test {

struct Case {
  const char* name;
  const char* kind;
  std::int64_t samples;
  Extents input;
  Attributes attributes = {};
  std::size_t inputs = 1;
};

/// By its name: "convolution_activation".
Fusion fusion_of(std::string_view kind) {
  for (std::size_t f = 0; f < kFusionCount; ++f) {
    const auto fusion = static_cast<Fusion>(f);
    if (name_of(fusion) == std::string(kind) + "_activation") return fusion;
  }
  throw std::logic_error("nothing fuses with this kind");
}

bool engine_says(const Backend& backend, Fusion fusion) {
  const DeviceClass of = backend.name() == "cpu" ? DeviceClass::cpu : DeviceClass::gpu;
  return fusions_of_kernels(of)[static_cast<std::size_t>(fusion)];
}

/// `one` with the rectifier behind it.
LocalLayer rectified(const OneLayer& one, const OneLayer& relu, std::int64_t samples) {
  LocalLayer local = one.whole(samples);
  local.then = &relu.layer();
  local.then_backward = takes_backward_along(fusion_of(local.layer->kind->name));
  return local;
}

class Fused : public testing::TestWithParam<Case> {
 protected:
  OneLayer one_{GetParam().kind, GetParam().input, GetParam().attributes,
                std::vector<Extents>(GetParam().inputs - 1, GetParam().input)};
  OneLayer relu_{"activation", one_.whole(1).output};
  LocalLayer local_ = rectified(one_, relu_, GetParam().samples);
};

TEST_P(Fused, MatchesReferenceWhereItIsOneKernel) {
  const auto backend = backend_under_test();
  ASSERT_EQ(backend->fuses(local_), engine_says(*backend, fusion_of(GetParam().kind)));
  if (!backend->fuses(local_)) return;
  const reference::Trial trial = random_trial(local_);
  const std::vector<double> y = reference::forward(trial).of;
  EXPECT_NE(std::count(y.begin(), y.end(), 0.0), 0) << "nothing is below zero";
  expect_like_reference(trial);
}

const Case kCases[] = {
    {"blocked",
     "convolution",
     2,
     {1, 32, 1, 11, 13},
     {{"features", 32}, {"kernel", 3}, {"pad", 1}}},
    {"first",
     "convolution",
     2,
     {1, 3, 1, 23, 23},
     {{"features", 16}, {"kernel", 7}, {"stride", 2}, {"bias", false}}},
    {"odd", "convolution", 3, {1, 21, 1, 9, 8}, {{"features", 33}, {"kernel", 3}, {"pad", 1}}},
    {"depthwise",
     "convolution",
     2,
     {1, 32, 1, 9, 9},
     {{"features", 32}, {"kernel", 3}, {"groups", 32}, {"pad", 1}}},
    {"grouped",
     "convolution",
     2,
     {1, 12, 1, 9, 9},
     {{"features", 24}, {"kernel", 3}, {"groups", 3}}},
    {"volume", "convolution", 2, {1, 4, 6, 7, 8}, {{"features", 16}, {"kernel", 3}, {"pad", 1}}},
    {"volume_without_bias",
     "convolution",
     2,
     {1, 4, 6, 7, 8},
     {{"features", 16}, {"kernel", 3}, {"pad", 1}, {"bias", false}}},
    {"dense", "dense", 3, {1, 10, 1, 1, 1}, {{"features", 7}}},
    {"dense_blocked", "dense", 4, {1, 32, 1, 1, 1}, {{"features", 64}, {"bias", false}}},
    {"norm", "batch_norm", 4, {1, 16, 1, 5, 7}},
    {"norm_without_scale", "batch_norm", 4, {1, 21, 2, 3, 4}, {{"affine", false}}},
    {"sum", "add", 3, {1, 6, 1, 5, 4}, {}, 2},
    {"sum_of_three", "add", 2, {1, 5, 2, 3, 4}, {}, 3},
};

INSTANTIATE_TEST_SUITE_P(Shapes, Fused, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// The reference's own gradients, where the rectifier's belong to them.
TEST(FusedKernels, ReferenceIsConsistent) {
  const OneLayer norm("batch_norm", {1, 5, 1, 4, 3});
  const OneLayer relu("activation", {1, 5, 1, 4, 3});
  expect_reference_consistent(random_trial(rectified(norm, relu, 3)));
}

TEST(FusedKernels, AreThoseOfARectifierAlone) {
  const auto backend = backend_under_test();
  const OneLayer convolution("convolution", {1, 4, 1, 6, 6}, {{"features", 4}, {"kernel", 3}});
  const OneLayer pool("pool", {1, 4, 1, 6, 6}, {{"kernel", 2}});
  const OneLayer relu("activation", {1, 4, 1, 4, 4});
  const OneLayer silu("activation", {1, 4, 1, 4, 4}, {{"function", std::string("silu")}});
  const auto fuses = [&](const OneLayer& first, const OneLayer& second, bool backward) {
    LocalLayer local = first.whole(1);
    local.then = &second.layer();
    local.then_backward = backward;
    return backend->fuses(local);
  };
  EXPECT_TRUE(fuses(convolution, relu, false));
  EXPECT_FALSE(fuses(convolution, relu, true)) << "its backward knows no rectifier";
  EXPECT_FALSE(fuses(convolution, silu, false));
  EXPECT_FALSE(fuses(pool, relu, false));
}

}  // namespace fused_test
}  // namespace oracle
