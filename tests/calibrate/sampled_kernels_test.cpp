#include "oracle/calibrate/sampled_kernels.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/cost/price.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/io/samples/samples_reader.h"

namespace oracle {
namespace sampled_kernels_test {

using samples::Format;
using samples::Order;
using samples::Samples;

samples::Timing timing(double median, double p10, double p90) {
  return {{Seconds{median}, Seconds{p10}, Seconds{p90}}, Seconds{1e-6}};
}

samples::Passes passes(double forward, double backward_data, double backward_weights) {
  const auto exact = [](double t) { return timing(t, t, t); };
  return {exact(forward), exact(backward_data), exact(backward_weights), "a net"};
}

template <typename Asked, typename Found>
samples::Sample<Asked, Found> sample(Asked asked, Found found) {
  samples::Sample<Asked, Found> out;
  out.asked = std::move(asked);
  out.found = std::move(found);
  return out;
}

samples::Convolution convolution(std::int64_t channels, std::int64_t filters, std::int64_t side,
                                 std::int64_t kernel, std::int64_t stride = 1) {
  samples::Convolution conv;
  conv.batch = 32;
  conv.channels = channels;
  conv.filters = filters;
  conv.space = {side, side};
  conv.kernel = {kernel, kernel};
  conv.stride = {stride, stride};
  conv.pad = {kernel / 2, kernel / 2};
  return conv;
}

/// The kernel of that many elements, from the input's channels to the output's.
struct Wanted {
  const char* kind;
  Pass pass;
  DataType type;
  std::int64_t samples;
  std::array<std::int64_t, 4> input, output;
};

const Cost* find(const SampledKernels& kernels, const Wanted& wanted) {
  const auto at =
      std::find_if(kernels.kernels.begin(), kernels.kernels.end(), [&](const KernelTime& row) {
        const KernelKey& key = row.key;
        return key.kind == wanted.kind && key.pass == static_cast<std::uint8_t>(wanted.pass) &&
               key.type == wanted.type && key.samples == wanted.samples &&
               key.input == wanted.input && key.output == wanted.output;
      });
  return at == kernels.kernels.end() ? nullptr : &at->cost;
}

/// A dense layer's kernel.
Wanted dense(Pass pass, DataType type, std::int64_t m, std::int64_t n, std::int64_t k) {
  return {"dense", pass, type, m, {k, 1, 1, 1}, {n, 1, 1, 1}};
}

TEST(SampledKernels, WorkedNumber) {
  Samples all;
  samples::Passes found = passes(1, 1, 1);
  found.forward = timing(100e-6, 99e-6, 104e-6);
  all.dense = {sample(samples::Dense{8, 100, 64, Format::bf16}, found)};
  const SampledKernels kernels = sampled_kernels(all);
  const Cost* cost = find(kernels, dense(Pass::forward, DataType::bf16, 8, 100, 64));
  ASSERT_NE(cost, nullptr);
  EXPECT_DOUBLE_EQ(cost->time.value, 100e-6);
  EXPECT_EQ(cost->source, Source::measured);
  EXPECT_NEAR(cost->uncertainty, 0.0513, 0.0001);
}

TEST(SampledKernels, PassesOfADenseProduct) {
  Samples all;
  all.dense = {sample(samples::Dense{8, 100, 64, Format::tf32}, passes(1, 2, 3))};
  const SampledKernels kernels = sampled_kernels(all);
  ASSERT_EQ(kernels.kernels.size(), 3U);
  const auto time_of = [&](Pass pass) {
    return find(kernels, dense(pass, DataType::tf32, 8, 100, 64))->time.value;
  };
  EXPECT_EQ(time_of(Pass::forward), 1);
  EXPECT_EQ(time_of(Pass::backward_data), 2);
  EXPECT_EQ(time_of(Pass::backward_weights), 3);
  EXPECT_TRUE(kernels.left_out.empty());
}

TEST(SampledKernels, PassesOfAStridedConvolution) {
  Samples all;
  all.convolutions = {sample(convolution(64, 128, 56, 3, 2), passes(1, 2, 3))};
  const SampledKernels kernels = sampled_kernels(all);
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    const Wanted wanted{"convolution", pass, DataType::fp32, 32, {64, 1, 56, 56}, {128, 1, 28, 28}};
    ASSERT_NE(find(kernels, wanted), nullptr);
    EXPECT_EQ(find(kernels, wanted)->time.value, 1 + static_cast<double>(pass));
  }
}

TEST(SampledKernels, GroupsAndThreeAxes) {
  Samples all;
  samples::Convolution grouped = convolution(128, 128, 56, 3);
  grouped.groups = 32;
  samples::Convolution solid;
  solid.batch = 4;
  solid.channels = 4;
  solid.filters = 16;
  solid.space = {128, 64, 32};
  solid.kernel = solid.stride = solid.pad = {1, 1, 1};
  solid.kernel = {3, 3, 3};
  all.convolutions = {sample(grouped, passes(1, 2, 3)), sample(solid, passes(4, 5, 6))};
  const SampledKernels kernels = sampled_kernels(all);
  EXPECT_NE(
      find(kernels,
           {"convolution", Pass::forward, DataType::fp32, 32, {128, 1, 56, 56}, {128, 1, 56, 56}}),
      nullptr);
  EXPECT_NE(
      find(kernels,
           {"convolution", Pass::forward, DataType::fp32, 4, {4, 128, 64, 32}, {16, 128, 64, 32}}),
      nullptr);
}

/// The layers of VGG-16 whole on one device, against a sample of conv1_2's shape.
TEST(SampledKernels, ALayerOfASampledShapeIsPricedAsMeasured) {
  setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
  Samples all;
  all.convolutions = {sample(convolution(64, 64, 224, 3), passes(0.0011, 0.0012, 0.0013))};
  all.dense = {
      sample(samples::Dense{32, 4096, 25088, Format::fp32}, passes(0.0021, 0.0022, 0.0023))};
  Profile profile;
  profile.kernels = sampled_kernels(all).kernels;
  const Graph graph = load_model("vgg16");
  const Cluster cluster = load_cluster("h200-node");
  Training training;
  training.batch = 32;
  const auto planned = partition(graph, parse_strategy("serial"), training, cluster);
  const Plan& plan = std::get<Plan>(planned);
  std::map<std::string, std::vector<double>> measured;
  for (const Item& item : plan.stages.at(0).items) {
    const Work* work = std::get_if<Work>(&item.what);
    if (work == nullptr || work->layer == kAllLayers) continue;
    const Cost cost = price_work(graph, plan, plan.stages[0], *work, cluster, profile);
    if (cost.source != Source::measured) continue;
    EXPECT_EQ(cost.uncertainty, 0);
    measured[graph[work->layer].name].push_back(cost.time.value);
  }
  ASSERT_EQ(measured.size(), 2U);
  for (auto& [layer, times] : measured) std::sort(times.begin(), times.end());
  EXPECT_EQ(measured.at("conv1_2"), (std::vector<double>{0.0011, 0.0012, 0.0013}));
  EXPECT_EQ(measured.at("fc6"), (std::vector<double>{0.0021, 0.0022, 0.0023}));
}

TEST(SampledKernels, SamplesOfOneKeyShareAPriceThatHoldsThem) {
  Samples all;
  // From 56 to 14 positions by 3 in steps of 4, whether or not the edge is padded.
  all.convolutions = {sample(convolution(64, 64, 56, 3, 4), passes(100e-6, 1, 1)),
                      sample(convolution(64, 64, 56, 3, 4), passes(140e-6, 1, 1))};
  all.convolutions[0].asked.pad = {0, 0};
  all.convolutions[1].found->forward = timing(140e-6, 140e-6, 150e-6);
  const SampledKernels kernels = sampled_kernels(all);
  const Cost* cost =
      find(kernels,
           {"convolution", Pass::forward, DataType::fp32, 32, {64, 1, 56, 56}, {64, 1, 14, 14}});
  ASSERT_NE(cost, nullptr);
  EXPECT_DOUBLE_EQ(cost->time.value, 120e-6);
  EXPECT_NEAR(cost->uncertainty, (20 + 1.2835 * 10) / 120, 1e-4);
  const auto same = [&](const KernelTime& row) { return row.cost == *cost; };
  EXPECT_EQ(std::count_if(kernels.kernels.begin(), kernels.kernels.end(), same), 1);
}

TEST(SampledKernels, NormalizationsOfFp32AreThoseOfTf32) {
  Samples all;
  samples::Operation norm{"batch_norm", {32, 64, 56, 56}, Format::fp32, Order::nchw, {}};
  samples::Operation rows{"layer_norm", {8192, 1024}, Format::bf16, {}, {}};
  const samples::OperationTime time{timing(1, 1, 1), timing(2, 2, 2)};
  all.operations = {sample(norm, time), sample(rows, time)};
  const SampledKernels kernels = sampled_kernels(all);
  ASSERT_EQ(kernels.kernels.size(), 5U);
  const std::array<std::int64_t, 4> map = {64, 1, 56, 56}, row = {1024, 1, 1, 1};
  for (const DataType type : {DataType::fp32, DataType::tf32}) {
    EXPECT_EQ(find(kernels, {"batch_norm", Pass::forward, type, 32, map, map})->time.value, 1);
    EXPECT_EQ(find(kernels, {"batch_norm", Pass::backward_data, type, 32, map, map})->time.value,
              2);
  }
  EXPECT_NE(find(kernels, {"layer_norm", Pass::forward, DataType::bf16, 8192, row, row}), nullptr);
}

TEST(SampledKernels, WhatHasNoKeyIsLeftOutByReason) {
  Samples all;
  samples::Convolution channels_last = convolution(64, 64, 56, 3);
  channels_last.order = Order::nhwc;
  samples::Convolution absurd = convolution(64, 64, std::int64_t{1} << 40, 3);
  samples::Convolution narrow = convolution(64, 64, 1, 3);
  narrow.pad = {0, 0};
  all.convolutions = {sample(channels_last, passes(1, 1, 1)),
                      sample(absurd, passes(1, 1, 1)),
                      sample(narrow, passes(1, 1, 1)),
                      {}};
  all.convolutions[3].asked = convolution(8, 8, 8, 3);
  samples::Dense eight{8, 8, 8, Format::fp8};
  all.dense = {sample(eight, passes(1, 1, 1))};
  const SampledKernels kernels = sampled_kernels(all);
  EXPECT_TRUE(kernels.kernels.empty());
  const std::map<std::string, std::size_t> expected = {
      {"conv: failed", 1},
      {"conv: not the order that networks train in", 1},
      {"conv: shapes that no layer can have", 2},
      {"gemm: a number format that the engine does not price", 1}};
  EXPECT_EQ(kernels.left_out, expected);
}

TEST(SampledKernels, EveryKernelOfTheCpuFolderIsKeptOrLeftOut) {
  const Samples all = load_samples(ORACLE_SOURCE_DIR "/tests/data/torch-cpu");
  const SampledKernels kernels = sampled_kernels(all);
  EXPECT_TRUE(
      std::is_sorted(kernels.kernels.begin(), kernels.kernels.end(),
                     [](const KernelTime& a, const KernelTime& b) { return a.key < b.key; }));
  EXPECT_EQ(kernels.left_out.at("ops, updates: a profile prices no updates"), 12U);
  EXPECT_EQ(kernels.left_out.at("ops: relu has no key of its own"), 2U);
  EXPECT_EQ(kernels.left_out.at("ops: failed"), 1U);
  EXPECT_EQ(kernels.left_out.count("conv: shapes that no layer can have"), 0U);
  const Wanted first{"convolution",  Pass::forward,  DataType::bf16, 2,
                     {3, 1, 64, 64}, {64, 1, 32, 32}};
  ASSERT_NE(find(kernels, first), nullptr);
  EXPECT_NEAR(find(kernels, first)->time.value, 252.6e-6, 1e-12);
}

}  // namespace sampled_kernels_test
}  // namespace oracle
