// Do our halos equal ParaDL's, (K−1)/2 planes of the remaining extents and channels from each side?
//
// They do for windows of stride one with as much padding as keeps the extent. Elsewhere the slabs
// of input and output do not lie on each other, and the rule of thumb does not hold: the planes
// that are really needed, counted position by position here, are the layouts'.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>

#include "tests/conformance/spatial_plan.h"

namespace oracle::paradl {
namespace conformance_halo_test {

constexpr std::int64_t kSlabs = 4;

Case one_group(const Network& network, std::int64_t samples) {
  Case one;
  one.model = network.model;
  one.gpus = one.inner = kSlabs;
  one.batch = samples;
  return one;
}

bool keeps_extents(const Operation& operation) {
  const std::int64_t kernel = operation.kernel();
  return operation.input[1] == operation.output[1] && kernel % 2 == 1 && kernel > 1;
}

/// Elements of one plane across the first spatial axis, per sample.
std::int64_t plane(const std::vector<std::int64_t>& dims) {
  std::int64_t elements = dims[0];
  for (std::size_t a = 2; a < dims.size(); ++a) elements *= dims[a];
  return elements;
}

/// Planes that one rank sends, at most: what the next one reads before its own slab and the one
/// before reads behind its own, position by position.
std::int64_t planes_sent(const Operation& operation, const Window& window, std::size_t axis) {
  const std::int64_t in = operation.input[1], out = operation.output[1];
  std::array<std::int64_t, kSlabs + 2> before{}, after{};  // of rank r at r + 1
  for (std::int64_t o = 0; o < out; ++o) {
    std::int64_t rank = 0;
    while ((rank + 1) * out / kSlabs <= o) ++rank;
    const std::int64_t begin = rank * in / kSlabs, end = (rank + 1) * in / kSlabs;
    const auto slot = static_cast<std::size_t>(rank + 1);
    for (std::int64_t k = 0; k < window.kernel[axis]; ++k) {
      const std::int64_t i = o * window.stride[axis] - window.pad_before[axis] + k;
      if (i < 0 || i >= in) continue;
      before[slot] = std::max(before[slot], begin - i);
      after[slot] = std::max(after[slot], i - end + 1);
    }
  }
  std::int64_t most = 0;
  for (std::size_t rank = 1; rank <= kSlabs; ++rank) {
    most = std::max(most, before[rank + 1] + after[rank - 1]);
  }
  return most;
}

TEST(ParadlHalo, VolumesAreParadlsWhereAWindowKeepsTheExtent) {
  int equal = 0;
  for (const Network& network : networks()) {
    const Case one = one_group(network, 8);
    const Plan plan = spatial_plan_of(network, one);
    for (const SplitWindow& window : split_windows(network, plan, kSlabs)) {
      const Operation& operation = *window.operation;
      if (!keeps_extents(operation)) continue;
      SCOPED_TRACE(network.model + ' ' + operation.name);
      const std::int64_t planes = operation.kernel() - 1;
      ASSERT_TRUE(window.forward.has_value());
      EXPECT_EQ(window.forward->bytes, group_bytes(one, planes * plane(operation.input)));
      ++equal;
      // The paper's second halo is of dL/dy; the gradient of the network's input is not needed.
      if (&operation == &network.operations.front()) {
        EXPECT_FALSE(window.backward.has_value());
        continue;
      }
      ASSERT_TRUE(window.backward.has_value());
      EXPECT_EQ(window.backward->bytes, group_bytes(one, planes * plane(operation.output)));
    }
  }
  // AlexNet, VGG16, the 3×3 of ResNet-50's 16 blocks, CosmoFlow's list of 256³.
  EXPECT_EQ(equal, 4 + 13 + 16 + 2);
}

TEST(ParadlHalo, PlanesElsewhereAreThoseThatAreRead) {
  std::map<std::string, std::int64_t> differ;  // planes more than ParaDL counts
  for (const Network& network : networks()) {
    const Plan plan = spatial_plan_of(network, one_group(network, 8));
    const std::size_t axis = 4 - network.operations[0].input.size();
    for (const SplitWindow& window : split_windows(network, plan, kSlabs)) {
      const Operation& operation = *window.operation;
      EXPECT_EQ(window.forward_planes,
                planes_sent(operation, network.graph[operation.layer].window, axis))
          << network.model << ' ' << operation.name;
      if (window.forward_planes == window.counted_planes()) continue;
      differ[network.model + ' ' + network.graph[operation.layer].name] =
          window.forward_planes - window.counted_planes();
    }
  }
  // Strides of more than one, no padding, and slabs of odd extents that start elsewhere than their
  // output's.
  const std::map<std::string, std::int64_t> expected = {
      {"alexnet CONV1_0", 1},       {"alexnet MPOOL_2", -1},   {"vgg16 MPOOL_4", 1},
      {"vgg16 MPOOL_23", 1},        {"vgg16 MPOOL_30", 1},     {"resnet50 CONV_4a1_74", 1},
      {"resnet50 CONV_5a1_134", 1}, {"cosmoflow CONV_1_0", 1}, {"cosmoflow CONV_2_3", 1}};
  EXPECT_EQ(differ, expected);
}

}  // namespace conformance_halo_test
}  // namespace oracle::paradl
