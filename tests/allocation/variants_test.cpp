// The inner loop of a search, variant after variant of a family, asks for no memory.

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/search/search.h"
#include "tests/allocation/counting.h"

namespace oracle {
namespace allocation_variants_test {

SearchRequest request_of(std::int64_t ranks, const Cluster& cluster) {
  SearchRequest request;
  request.ranks = ranks;
  request.training = {32 * ranks, precision_named("fp32"), optimizer_named("momentum")};
  request.threads = 1;
  tune(cluster.device, {}, request.space);
  return request;
}

TEST(Allocations, AreCounted) {
  const std::int64_t before = allocations();
  const std::vector<int> three(3);
  const std::string long_text(100, 'x');
  EXPECT_EQ(allocations() - before, 2) << three.size() << long_text;
}

TEST(Allocations, NoneForAnyVariantOfAFamily) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  const Profile profile;
  Family family({graph, cluster, profile});
  // The smallest family first: nothing that comes later may live on what an earlier one left.
  for (const char* cuts : {"serial", "data:64", "data:16,filter:4", "data:16,spatial:2x2",
                           "data:16,pipeline:4", "pipeline:16,data:4"}) {
    const Strategy strategy = parse_strategy(cuts);
    const SearchRequest request = request_of(strategy.ranks(), cluster);
    std::vector<Variant> variants = variants_of(strategy, request.base, request.space);
    std::reverse(variants.begin() + 1, variants.end());  // from large buckets to many small ones
    ASSERT_EQ(family.plan(strategy, request.training), nullptr);
    family.measure(request.space.schedules);
    const std::int64_t before = allocations();
    Seconds sum;
    for (const Variant& variant : variants) {
      family.choose(variant);
      if (!family.fits()) continue;
      sum += family.least_step() + family.step().step.time;
    }
    EXPECT_EQ(allocations() - before, 0) << cuts;
    EXPECT_GT(sum.value, 0);
  }
}

TEST(Allocations, ASearchNeedsNoMoreForMoreVariants) {
  const Graph graph = load_model("resnet50");
  Cluster cluster = load_cluster("abci");
  cluster.device.memory = Bytes{1e15};  // whoever does not fit is reported, with words
  const Profile profile;
  SearchRequest request = request_of(8, cluster);
  request.prune = false;
  const auto cost = [&] {
    const std::int64_t before = allocations();
    const Ranking ranking = search(graph, cluster, profile, request);
    return std::pair(allocations() - before, ranking.considered);
  };
  cost();  // what is made once in a program
  const auto [many, strategies] = cost();
  request.space.buckets.resize(3);
  const auto [few, fewer_strategies] = cost();
  EXPECT_GT(strategies, 2 * fewer_strategies);
  // The lists of variants themselves grow by doubling.
  EXPECT_LE(many - few, 8);
}

}  // namespace allocation_variants_test
}  // namespace oracle
