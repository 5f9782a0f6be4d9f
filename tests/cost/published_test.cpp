// Single-GPU training speeds that others published, against the sum of all roofline prices of a
// step. The bounds are wide: this guards against constants that go wild, accuracy is judged
// elsewhere.

#include <gtest/gtest.h>
#include <ostream>

#include "oracle/base/error.h"
#include "oracle/cost/price.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace published_test {

struct Case {
  const char* model;
  const char* device;
  const char* framework;
  std::int64_t batch;
  double images_per_second;
  double least, most;  ///< of predicted / published step time

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.model << " on " << c.device << ", batch " << c.batch;
  }
};

Cluster one_device(const char* name) {
  Cluster cluster;
  cluster.id = name;
  cluster.device = load_device(name);
  cluster.levels = {{"device", 1, {"", Bandwidth{1e9}, Bandwidth{1e9}, Seconds{1e-6}}}};
  return cluster;
}

double step_seconds(const Case& c) {
  const Graph graph = load_model(c.model);
  const Cluster cluster = one_device(c.device);
  const Training training{c.batch, precision_named("fp32"), optimizer_named("sgd"),
                          load_framework(c.framework)};
  const auto plan = partition(graph, parse_strategy("serial"), training, cluster);
  ensure(std::holds_alternative<Plan>(plan), "a serial plan is always feasible");
  CostSum sum;
  const Prices prices = price(graph, std::get<Plan>(plan), cluster, {});
  for (const StagePrices& stage : prices.stages) {
    for (const Cost& cost : stage.items) sum.add(cost);
  }
  return sum.total().time.value;
}

class Published : public testing::TestWithParam<Case> {};

TEST_P(Published, StepTimeIsPlausible) {
  const Case& c = GetParam();
  const double ratio = step_seconds(c) * c.images_per_second / static_cast<double>(c.batch);
  EXPECT_GT(ratio, c.least);
  EXPECT_LT(ratio, c.most);
}

/// Training logs of github.com/ankahira/paraDL, one GPU of ABCI, Chainer.
INSTANTIATE_TEST_SUITE_P(
    V100, Published,
    testing::Values(Case{"resnet50", "v100-sxm2-16gb", "chainer", 64, 64 / .1855, .7, 1.4},
                    Case{"vgg16", "v100-sxm2-16gb", "chainer", 32, 32 / .2633, .6, 1.5}));

/// tensorflow.org/performance/benchmarks (2017), synthetic data: one GPU of a DGX-1.
INSTANTIATE_TEST_SUITE_P(
    P100, Published,
    testing::Values(Case{"resnet50", "p100-sxm2-16gb", "tensorflow", 64, 219, .7, 1.4},
                    Case{"resnet50", "p100-sxm2-16gb", "tensorflow", 32, 195, .7, 1.4},
                    Case{"resnet152", "p100-sxm2-16gb", "tensorflow", 64, 91.8, .7, 1.4},
                    Case{"inception_v3", "p100-sxm2-16gb", "tensorflow", 64, 142, .7, 1.4},
                    Case{"vgg16", "p100-sxm2-16gb", "tensorflow", 64, 154, .7, 1.5}));

/// The same page: half a K80 of an EC2 p2.8xlarge, whose clock it does not state.
INSTANTIATE_TEST_SUITE_P(K80, Published,
                         testing::Values(Case{"resnet50", "k80", "tensorflow", 64, 52.4, .4, 1.4},
                                         Case{"inception_v3", "k80", "tensorflow", 64, 29.7, .35,
                                              1.4}));

}  // namespace published_test
}  // namespace oracle
