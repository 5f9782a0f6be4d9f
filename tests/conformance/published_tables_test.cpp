// Do whole tables of ParaDL's projections come out, network by network?
//
// A compact check beside the files: times per iteration as printed by ParaDL (or by a second
// implementation of its equations that meets its logs), in its published constants, to six
// decimals. ResNet-50 has 64 samples per GPU, VGG16 32.

#include <gtest/gtest.h>

#include "oracle/cost/collectives/ring.h"
#include "tests/conformance/paradl_links.h"
#include "tests/conformance/paradl_plan.h"

namespace oracle::paradl {
namespace published_tables_test {

constexpr double kSixDecimals = 0.51e-6;

bool every(const Operation&) { return true; }
bool by_filter(const Operation& operation) { return operation.split_by_filter; }

Case case_of(std::int64_t gpus, std::int64_t inner, std::int64_t samples_per_group) {
  Case one;
  one.gpus = gpus;
  one.inner = inner;
  one.batch = samples_per_group * one.groups();
  return one;
}

Seconds exchange_time(const Network& network, const Case& one, std::string_view axis,
                      const Chooses& chosen, double all_over_sent, double contention) {
  const Plan plan = plan_of(network, one, axis, chosen);
  const auto sums = transfers_of(plan, Collective::all_reduce, Payload::weight_gradient);
  return ring_all_reduce(sums.at(0).bytes * all_over_sent,
                         ring_of(one.groups(), one.gpus, Script{}, contention));
}

class ParadlTables : public testing::Test {
 protected:
  std::vector<Network> all_ = networks();
  const Network& resnet_ = network_of(all_, "resnet50", "3x226x226");
  const Network& vgg_ = network_of(all_, "vgg16", "3x226x226");
};

TEST_F(ParadlTables, DataParallel) {
  constexpr double kResnet[] = {.001836721, .002782082, .013295389, .014849710, .016594310,
                                .019401490, .024721,    .035393,    .056403,    .098381};
  constexpr double kVgg[] = {.013602, .020430, .095653, .103090, .107776,
                             .112054, .118108, .129148, .150342, .192412};
  for (std::size_t i = 0; i < std::size(kResnet); ++i) {
    const std::int64_t gpus = std::int64_t{2} << i;
    const Case resnet = case_of(gpus, 1, 64), vgg = case_of(gpus, 1, 32);
    EXPECT_NEAR(exchange_time(resnet_, resnet, "whole", every, 1, 1).value, kResnet[i],
                kSixDecimals);
    EXPECT_NEAR(exchange_time(vgg_, vgg, "whole", every, 1, 1).value, kVgg[i], kSixDecimals);
  }
}

Seconds gather_time(const Network& network, const Case& one) {
  const Plan plan = plan_of(network, one, "filter", by_filter);
  Seconds time;
  for (const Transfer& gather : transfers_of(plan, Collective::all_gather, Payload::activation)) {
    time += ring_all_gather(gather.bytes, ring_of(one.gpus, one.gpus, Script{}));
  }
  return time;
}

TEST_F(ParadlTables, FilterParallelAllGather) {
  constexpr double kResnet[] = {.023727, .036253, .176831, .204276, .241701, .307817};
  constexpr double kVgg[] = {.017959, .027114, .128563, .141677, .154522, .173521};
  for (std::size_t i = 0; i < std::size(kResnet); ++i) {
    const std::int64_t gpus = std::int64_t{2} << i;
    EXPECT_NEAR(gather_time(resnet_, case_of(gpus, gpus, 64)).value, kResnet[i], kSixDecimals);
    EXPECT_NEAR(gather_time(vgg_, case_of(gpus, gpus, 32)).value, kVgg[i], kSixDecimals);
  }
}

TEST_F(ParadlTables, FilterParallelCompute) {
  constexpr double kResnet[] = {.104898, .057522, .033835, .021991, .016069, .013108};
  constexpr double kVgg[] = {.136628, .073012, .041204, .025300, .017348, .013373};
  for (std::size_t i = 0; i < std::size(kResnet); ++i) {
    const std::int64_t gpus = std::int64_t{2} << i;
    EXPECT_NEAR(64 * seconds_per_sample(resnet_, by_filter, gpus), kResnet[i], kSixDecimals);
    EXPECT_NEAR(32 * seconds_per_sample(vgg_, by_filter, gpus), kVgg[i], kSixDecimals);
  }
}

/// All weights over those a rank holds: data_filter_test.cpp says why ParaDL sends them all.
double all_over_held(const Network& network) {
  double held = 0;
  for (const Operation& operation : network.operations) {
    held += static_cast<double>(operation.weights()) / (by_filter(operation) ? 4 : 1);
  }
  return static_cast<double>(network.weights()) / held;
}

TEST_F(ParadlTables, DataFilterExchange) {
  constexpr std::int64_t kGpus[] = {8, 16, 32, 64, 128, 256, 1024};
  constexpr double kResnet8[] = {.058280, .087540, .102413, .110333, .115271, .119743, .136843};
  constexpr double kResnet1[] = {.007356, .011154, .013295, .014850, .016605, .019486, .035393};
  constexpr double kVgg8[] = {.434772, .652279, .761275, .816256, .844725, .860963, .886887};
  constexpr double kVgg1[] = {.054417, .081747, .095653, .103090, .107787, .112138, .129148};
  const double resnet_all = all_over_held(resnet_), vgg_all = all_over_held(vgg_);
  for (std::size_t i = 0; i < std::size(kGpus); ++i) {
    const Case one = case_of(kGpus[i], 4, 8);
    const auto time = [&](const Network& network, double all, double contention) {
      return exchange_time(network, one, "filter", by_filter, all, contention).value;
    };
    EXPECT_NEAR(time(resnet_, resnet_all, 8), kResnet8[i], kSixDecimals);
    EXPECT_NEAR(time(resnet_, resnet_all, 1), kResnet1[i], kSixDecimals);
    EXPECT_NEAR(time(vgg_, vgg_all, 8), kVgg8[i], kSixDecimals);
    EXPECT_NEAR(time(vgg_, vgg_all, 1), kVgg1[i], kSixDecimals);
  }
}

}  // namespace published_tables_test
}  // namespace oracle::paradl
