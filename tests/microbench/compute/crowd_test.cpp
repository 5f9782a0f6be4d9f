#include "microbench/compute/crowd.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace crowd_test {

CrowdPlan brief(int ranks) {
  CrowdPlan plan;
  plan.ranks = ranks;
  plan.calls = 2;
  plan.clock = Clock::wall;
  plan.rotation = {1 << 20, 2};
  return plan;
}

/// In ten seconds.
std::vector<CrowdSample> measured(const CrowdBench::Make& make, std::span<const LayerCase> cases,
                                  const CrowdPlan& plan) {
  CrowdBench bench(make, cases, plan);
  bench.run_up_to(10);
  return bench.take();
}

std::vector<LayerCase> cases_of(std::initializer_list<const char*> lines) {
  std::vector<LayerCase> cases;
  for (const char* line : lines) cases.push_back(parse_layer_case(line));
  return cases;
}

TEST(Crowd, EachRankHasABackEndOfItsOwnAndEachPassIsTimedBothWays) {
  std::atomic<int> made = 0;
  const auto make = [&] {
    ++made;
    return all_backends().front().make(1);
  };
  const auto cases = cases_of({"add 1:16x64+16x64", "dense 4:64 features=32"});
  const std::vector<CrowdSample> samples = measured(make, cases, brief(3));
  EXPECT_EQ(made, 6);
  ASSERT_EQ(samples.size(), 3U + 6U);
  for (const CrowdSample& sample : samples) {
    EXPECT_EQ(sample.ranks, 3);
    EXPECT_EQ(sample.alone.values().size(), 4U) << "before and after";
    EXPECT_EQ(sample.beside.values().size(), 6U) << "of every rank";
    EXPECT_GT(sample.alone.median(), 0);
    EXPECT_GT(sample.beside.median(), 0);
  }
}

TEST(Crowd, CasesAreTakenInAnOrderDrawnThatIsAlwaysTheSame) {
  const auto make = [] { return all_backends().front().make(1); };
  const auto cases =
      cases_of({"add 1:8x4+8x4", "add 1:16x4+16x4", "add 1:24x4+24x4", "add 1:32x4+32x4"});
  std::vector<std::string> layers[2], given;
  for (auto& taken : layers) {
    for (const CrowdSample& sample : measured(make, cases, brief(2))) {
      if (sample.pass.pass == Pass::forward) taken.push_back(sample.layer);
    }
  }
  for (const LayerCase& of : cases) given.push_back(to_text(of));
  EXPECT_EQ(layers[0], layers[1]);
  EXPECT_NE(layers[0], given);
  std::sort(layers[0].begin(), layers[0].end());
  std::sort(given.begin(), given.end());
  EXPECT_EQ(layers[0], given);
}

TEST(Crowd, ACaseThatCannotRunIsLeftOutAndOneRankIsNoCrowd) {
  const auto make = [] { return all_backends().front().make(1); };
  const auto cases = cases_of({"dense 1:8 features=8"});
  EXPECT_TRUE(measured(make, cases, brief(1)).empty());
  int left = 1;
  const auto refuses = [&]() -> std::unique_ptr<Backend> {
    if (left-- > 0) throw EnvironmentError("no memory");
    return make();
  };
  EXPECT_TRUE(measured(refuses, cases, brief(2)).empty());
}

TEST(Crowd, GoesOnWhereItWas) {
  const auto make = [] { return all_backends().front().make(1); };
  const auto cases = cases_of({"dense 1:8 features=8", "dense 2:8 features=8"});
  CrowdBench bench(make, cases, brief(2));
  bench.run_up_to(0);
  EXPECT_TRUE(CrowdBench(bench).take().empty());
  bench.run_up_to(1e-9);
  const std::vector<CrowdSample> first = CrowdBench(bench).take();
  ASSERT_FALSE(first.empty());
  for (const CrowdSample& sample : first) EXPECT_EQ(sample.layer, first[0].layer);
  bench.run_up_to(1e-9);
  EXPECT_EQ(CrowdBench(bench).take().size(), first.size()) << "the time was over";
  bench.run_up_to(10);
  EXPECT_EQ(bench.take().size(), 2 * first.size());
}

}  // namespace crowd_test
}  // namespace oracle
