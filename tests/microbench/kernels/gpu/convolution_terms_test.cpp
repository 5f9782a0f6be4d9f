#include "microbench/kernels/gpu/device/products/convolution_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace convolution_terms_test {

using testing::ElementsAre;

CorrelationShape shape() {
  CorrelationShape shape;
  shape.geometry.wide = {2, 8, 1, 5, 7};
  shape.geometry.kernel = {1, 3, 2};
  shape.geometry.pad = {0, 1, 0};
  shape.geometry.stride = {1, 2, 1};
  shape.geometry.dilation = {1, 1, 3};
  shape.narrow = {2, 16, 1, 3, 4};
  shape.filter = {16, 4, 6};
  shape.groups = 2;
  return shape;
}

TEST(ConvolutionTerms, WorkedExample) {
  const ConvolutionTerms terms = terms_of(shape(), Element::bf16, true);
  EXPECT_EQ(terms.type, CUDNN_DATA_BFLOAT16);
  EXPECT_THAT(terms.wide.dims, ElementsAre(2, 8, 5, 7));
  EXPECT_THAT(terms.wide.strides, ElementsAre(280, 1, 56, 8));
  EXPECT_THAT(terms.narrow.strides, ElementsAre(192, 1, 64, 16));
  EXPECT_THAT(terms.filter.dims, ElementsAre(16, 4, 3, 2));
  EXPECT_THAT(terms.filter.strides, ElementsAre(24, 1, 8, 4));
  EXPECT_THAT(terms.pad, ElementsAre(1, 0));
  EXPECT_THAT(terms.stride, ElementsAre(2, 1));
  EXPECT_THAT(terms.dilation, ElementsAre(1, 3));
  EXPECT_EQ(terms.groups, 2);
}

TEST(ConvolutionTerms, OfChannelsFirstAndThreeAxes) {
  CorrelationShape volume = shape();
  volume.geometry.rank = 3;
  const ConvolutionTerms terms = terms_of(volume, Element::fp32, false);
  EXPECT_EQ(terms.type, CUDNN_DATA_FLOAT);
  EXPECT_THAT(terms.wide.dims, ElementsAre(2, 8, 1, 5, 7));
  EXPECT_THAT(terms.wide.strides, ElementsAre(280, 35, 35, 7, 1));
  EXPECT_THAT(terms.filter.strides, ElementsAre(24, 6, 6, 2, 1));
}

TEST(ConvolutionTerms, OfMoreThanCudnnTakesAreRefused) {
  EXPECT_EQ(to_int(2147483647), 2147483647);
  EXPECT_THROW(to_int(2147483648), EnvironmentError);
}

}  // namespace convolution_terms_test
}  // namespace oracle::gpu
