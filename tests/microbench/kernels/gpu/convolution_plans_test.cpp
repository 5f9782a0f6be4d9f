// Which engines are taken of those that an emulated cuDNN names
// (tests/emulated_gpu/cudnn_graph.cpp).

#include "microbench/kernels/gpu/device/products/convolution_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle::gpu {
namespace convolution_plans_test {

using testing::ElementsAre;
using testing::IsEmpty;

class ConvolutionPlans : public testing::Test {
 protected:
  ConvolutionPlans() { check(cudnnCreate(&handle_), "cudnnCreate"); }
  ~ConvolutionPlans() override { static_cast<void>(cudnnDestroy(handle_)); }

  std::vector<int> engines(std::int64_t channels, Math math, bool channels_last = true) const {
    CorrelationShape shape;
    shape.geometry.wide = {2, channels, 1, 5, 5};
    shape.geometry.kernel = shape.geometry.stride = shape.geometry.dilation = {1, 1, 1};
    shape.narrow = {2, 16, 1, 5, 5};
    shape.filter = {16, channels, 1};
    std::vector<int> numbers;
    const ConvolutionTerms terms = terms_of(shape, element_of(math), channels_last);
    for (const auto& plan : plans_of(handle_, Operation::narrow, terms, math)) {
      numbers.push_back(plan->engine());
    }
    return numbers;
  }

  cudnnHandle_t handle_ = nullptr;
};

/// One that cannot be built is none.
TEST_F(ConvolutionPlans, AreThoseThatCanBeBuilt) {
  EXPECT_THAT(engines(8, Math::bf16), ElementsAre(11, 12, 13));
}

/// Of fp32 one to fall back on is left where all others round factors.
TEST_F(ConvolutionPlans, OfFp32RoundNoFactors) {
  EXPECT_THAT(engines(8, Math::fp32), ElementsAre(14));
  EXPECT_THAT(engines(8, Math::tf32), ElementsAre(11, 12, 13));
}

TEST_F(ConvolutionPlans, AreNoneWhereCudnnRefuses) {
  EXPECT_THAT(engines(12, Math::bf16), IsEmpty());
  EXPECT_THAT(engines(8, Math::bf16, false), IsEmpty());
}

TEST_F(ConvolutionPlans, SayWhetherTheyVaryAndWhatTheyTake) {
  CorrelationShape shape;
  shape.geometry.wide = shape.narrow = {1, 8, 1, 4, 4};
  shape.geometry.kernel = shape.geometry.stride = shape.geometry.dilation = {1, 1, 1};
  shape.filter = {8, 8, 1};
  const auto plans =
      plans_of(handle_, Operation::filter, terms_of(shape, Element::fp16, true), Math::fp16);
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_TRUE(plans[0]->deterministic());
  EXPECT_FALSE(plans[1]->deterministic());
  EXPECT_EQ(plans[0]->workspace(), std::int64_t{1} << 40);
  EXPECT_EQ(plans[2]->workspace(), 1000);
}

/// Nothing of what makes it up is given to others, or refused a second time.
TEST(GraphDescriptor, DoesNothingOnceRefused) {
  GraphDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::int64_t{1});
  EXPECT_TRUE(tensor.accepted());
  EXPECT_FALSE(tensor.finalize());
  EXPECT_FALSE(tensor.number(CUDNN_ATTR_TENSOR_UNIQUE_ID).has_value());
  GraphDescriptor convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, tensor);
  EXPECT_FALSE(convolution.accepted());
}

}  // namespace convolution_plans_test
}  // namespace oracle::gpu
