// What the installed cuDNN says of our graphs as far as it looks at them without a GPU: tensors,
// windows and operations. A graph is a device's, so that its engines are seen on one alone.

#include <gtest/gtest.h>

#include "microbench/kernels/gpu/device/products/convolution_plans.h"

namespace oracle::gpu {
namespace convolution_graph_test {

CorrelationShape shape(std::size_t rank) {
  const int deep = rank == 3 ? 1 : 0;
  CorrelationShape shape;
  shape.geometry.rank = rank;
  shape.geometry.wide = {2, 64, rank == 3 ? 6 : 1, 14, 14};
  shape.geometry.kernel = {1 + 2 * deep, 3, 3};
  shape.geometry.pad = {deep, 1, 1};
  shape.geometry.stride = {1 + deep, 2, 2};
  shape.geometry.dilation = {1, 1, 1};
  shape.narrow = {2, 128, rank == 3 ? 3 : 1, 7, 7};
  shape.filter = {128, 64, rank == 3 ? 27 : 9};
  return shape;
}

ConvolutionGraph graph(Operation operation, const CorrelationShape& of,
                       Element element = Element::bf16, bool channels_last = true) {
  return graph_of(nullptr, operation, terms_of(of, element, channels_last));
}

TEST(ConvolutionGraph, IsAcceptedInEachTypeAndOrder) {
  for (const Operation operation : {Operation::narrow, Operation::wide, Operation::filter}) {
    for (const Element element : {Element::fp32, Element::bf16, Element::fp16}) {
      for (const std::size_t rank : {2, 3}) {
        for (const bool channels_last : {true, false}) {
          const ConvolutionGraph made = graph(operation, shape(rank), element, channels_last);
          EXPECT_TRUE(made.window.accepted());
          EXPECT_TRUE(made.convolution.accepted()) << static_cast<int>(operation);
          EXPECT_FALSE(made.graph.accepted()) << "it is nobody's";
        }
      }
    }
  }
}

TEST(ConvolutionGraph, OfGroupsIsAccepted) {
  CorrelationShape grouped = shape(2);
  grouped.groups = 4;
  grouped.filter.channels = 16;
  EXPECT_TRUE(graph(Operation::wide, grouped).convolution.accepted());
}

TEST(ConvolutionGraph, RunsOnOperandsWithAndWithoutWorkspace) {
  char memory[4] = {};
  const Operands of{memory, memory + 1, memory + 2};
  EXPECT_TRUE(pack_of(of, memory + 3).accepted());
  EXPECT_TRUE(pack_of(of, nullptr).accepted());
}

TEST(ConvolutionGraph, OfExtentsThatDoNotFitIsRefused) {
  CorrelationShape odd = shape(2);
  odd.narrow.height = 8;
  EXPECT_FALSE(graph(Operation::narrow, odd).convolution.accepted());
}

}  // namespace convolution_graph_test
}  // namespace oracle::gpu
