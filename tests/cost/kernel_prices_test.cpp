#include "oracle/cost/kernel_prices.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace kernel_prices_test {

void expect_equal(const RooflineTerms& a, const RooflineTerms& b) {
  EXPECT_EQ(a.launch, b.launch);
  EXPECT_EQ(a.arithmetic, b.arithmetic);
  EXPECT_EQ(a.memory, b.memory);
}

TEST(KernelPrices, AreTheRooflinesOfAllKernelsOfANetwork) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  const Plan plan = plan_of(graph, "serial", 32);
  KernelPrices prices(cluster, DataType::fp32);
  std::vector<KernelDemand> different;
  std::size_t kernels = 0;
  for (int round = 0; round < 2; ++round) {
    for (const Item& item : plan.stages[0].items) {
      const auto* work = std::get_if<Work>(&item.what);
      if (work == nullptr || work->pass == Pass::update) continue;
      const KernelDemand kernel =
          demand(graph[work->layer], plan.pieces[work->layer], work->pass, plan.training);
      expect_equal(prices.kernel(kernel).terms, roofline_terms(kernel, DataType::fp32, cluster));
      ++kernels;
      if (std::find(different.begin(), different.end(), kernel) == different.end()) {
        different.push_back(kernel);
      }
    }
  }
  EXPECT_EQ(kernels, 2 * 474U);
  EXPECT_EQ(different.size(), 141U);
  EXPECT_EQ(prices.size(), different.size());
}

TEST(KernelPrices, StayApartHoweverManyThereAre) {
  const Cluster cluster = flat_cluster();
  KernelPrices prices(cluster, DataType::fp32);
  const auto kernel = [](std::int64_t i) {
    KernelDemand demand;
    demand.form = KernelForm::product;
    demand.aligned = true;
    demand.m = 64 + i % 50;
    demand.n = 64 + i / 50;
    demand.k = 128;
    demand.flops = Flops{2.0 * 128 * static_cast<double>(demand.m * demand.n)};
    demand.traffic = Bytes{static_cast<double>(i)};
    return demand;
  };
  constexpr std::int64_t kKernels = 2000;
  for (std::int64_t i = 0; i < kKernels; ++i) prices.kernel(kernel(i));
  EXPECT_EQ(prices.size(), static_cast<std::size_t>(kKernels));
  for (std::int64_t i = 0; i < kKernels; ++i) {
    expect_equal(prices.kernel(kernel(i)).terms,
                 roofline_terms(kernel(i), DataType::fp32, cluster));
  }
  EXPECT_EQ(prices.size(), static_cast<std::size_t>(kKernels));
}

}  // namespace kernel_prices_test
}  // namespace oracle
