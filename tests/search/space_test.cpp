#include "oracle/search/space.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace oracle {
namespace space_test {

const SpaceOptions kThreeCuts{3, {Cut::sample, Cut::filter, Cut::channel}};

std::size_t size_of(std::int64_t ranks, const SpaceOptions& options, std::int64_t batch = 1024) {
  return strategy_space(ranks, batch, {}, options).size();
}

TEST(Space, OfEightRanksAndThreeCuts) {
  EXPECT_EQ(size_of(8, kThreeCuts), 21U);
  EXPECT_EQ(size_of(8, {1, kThreeCuts.cuts}), 3U);
  EXPECT_EQ(size_of(8, {2, kThreeCuts.cuts}), 15U);
}

TEST(Space, OfOneRankIsTheSerialPlan) {
  const std::vector<Strategy> space = strategy_space(1, 32, {}, {});
  ASSERT_EQ(space.size(), 1U);
  EXPECT_TRUE(space[0].mesh.empty());
}

/// Ordered factorizations of n into exactly `factors` factors > 1.
std::size_t factorizations(std::int64_t n, std::size_t factors) {
  if (factors == 0) return n == 1 ? 1 : 0;
  std::size_t count = 0;
  for (std::int64_t d = 2; d <= n; ++d) {
    if (n % d == 0) count += factorizations(n / d, factors - 1);
  }
  return count;
}

TEST(Space, CountsFactorizationsTimesArrangements) {
  const std::vector<Cut> cuts = {Cut::sample, Cut::spatial, Cut::filter, Cut::channel,
                                 Cut::alternate};
  for (const std::int64_t ranks : {2, 6, 7, 12, 64, 360}) {
    for (std::size_t most = 1; most <= 4; ++most) {
      std::size_t expected = 0, arrangements = 1;
      for (std::size_t k = 1; k <= most; ++k) {
        arrangements *= cuts.size() - k + 1;
        expected += factorizations(ranks, k) * arrangements;
      }
      EXPECT_EQ(size_of(ranks, {most, cuts}), expected) << ranks << ' ' << most;
    }
  }
}

TEST(Space, HoldsEachStrategyOnce) {
  const std::vector<Strategy> space = strategy_space(48, 256, {}, {});
  std::set<std::string> texts;
  for (const Strategy& strategy : space) {
    EXPECT_EQ(strategy.ranks(), 48);
    EXPECT_TRUE(texts.insert(to_text(strategy)).second) << to_text(strategy);
    std::set<Cut> cuts;
    for (const MeshAxis& axis : strategy.mesh) {
      EXPECT_GT(axis.degree, 1);
      EXPECT_TRUE(cuts.insert(axis.cut).second);
    }
  }
}

std::vector<std::int64_t> micro_batches_of(std::int64_t ranks, std::int64_t batch,
                                           const Strategy& base = {}) {
  std::vector<std::int64_t> counts;
  for (const Strategy& strategy : strategy_space(ranks, batch, base, {1, {Cut::pipeline}})) {
    counts.push_back(strategy.micro_batches);
  }
  return counts;
}

TEST(Space, APipelineComesWithSeveralMicroBatches) {
  EXPECT_EQ(micro_batches_of(4, 256), (std::vector<std::int64_t>{4, 8, 16, 32, 64, 128, 256}));
  EXPECT_EQ(micro_batches_of(4, 4096), (std::vector<std::int64_t>{4, 8, 16, 32}));
  EXPECT_EQ(micro_batches_of(4, 10), (std::vector<std::int64_t>{5, 10}));
  EXPECT_EQ(micro_batches_of(4, 3), (std::vector<std::int64_t>{3}));
  // Two replicas share 16 samples.
  std::set<std::int64_t> counts;
  for (const Strategy& strategy : strategy_space(8, 16, {}, {2, {Cut::sample, Cut::pipeline}})) {
    if (strategy.mesh.size() == 2 && strategy.mesh[0] == MeshAxis{2, Cut::sample}) {
      counts.insert(strategy.micro_batches);
    }
  }
  EXPECT_EQ(counts, (std::set<std::int64_t>{4, 8}));
}

TEST(Space, CopiesTheOptionsOfItsBase) {
  Strategy base;
  base.micro_batches = 5;
  base.exchange = "ring";
  base.overlap = false;
  base.batch_norm = BatchNormMode::local;
  base.mesh = {{7, Cut::filter}};
  EXPECT_EQ(micro_batches_of(4, 256, base), (std::vector<std::int64_t>{5}));
  for (const Strategy& strategy : strategy_space(4, 256, base, {})) {
    EXPECT_EQ(strategy.ranks(), 4);
    EXPECT_EQ(strategy.exchange, "ring");
    EXPECT_FALSE(strategy.overlap);
    EXPECT_EQ(strategy.batch_norm, BatchNormMode::local);
  }
}

TEST(Space, WithoutOptionsToTryHasOneVariantOfEach) {
  Strategy base;
  base.bucket = Bytes{1e6};
  base.exchange = "ring";
  base.overlap = false;
  const std::vector<Variant> variants = variants_of({}, base);
  EXPECT_EQ(variants, std::vector{variant_of(base)});
}

TEST(Space, TunesWithWhatTheLibraryHas) {
  SpaceOptions options;
  Device device;
  device.device_class = DeviceClass::gpu;
  tune(device, {}, options);
  EXPECT_EQ(options.exchanges,
            (std::vector<std::string_view>{"auto", "ring", "double_tree", "hierarchical"}));
  device.device_class = DeviceClass::cpu;
  tune(device, {}, options);
  EXPECT_EQ(options.exchanges, (std::vector<std::string_view>{"auto", "ring", "tree",
                                                              "halving_doubling", "hierarchical"}));
  ASSERT_EQ(options.buckets.size(), 9U);
  EXPECT_EQ(options.buckets.front().value, 1048576);
  EXPECT_EQ(options.buckets.back().value, 256 * 1048576);
}

TEST(Space, TunesWhatTheFrameworkHasASwitchFor) {
  SpaceOptions options;
  Device device;
  device.device_class = DeviceClass::gpu;
  Framework framework;
  framework.switches = {"bucket", "exchange"};
  tune(device, framework, options);
  EXPECT_EQ(options.buckets.size(), 9U);
  EXPECT_EQ(options.exchanges, (std::vector<std::string_view>{"auto", "ring", "double_tree"}));
  EXPECT_TRUE(options.overlaps.empty());
  EXPECT_TRUE(options.schedules.empty());
}

/// Of two stages a rank and more, where the framework has it.
TEST(Space, RunsBackwardInTwoTurnsOfSeveralStagesARank) {
  SpaceOptions options;
  Framework framework;
  framework.switches = {"schedule", "chunks"};
  tune({}, framework, options);
  EXPECT_FALSE(options.parts_backward);
  framework.switches.emplace_back("schedule=zb_h1");
  tune({}, framework, options);
  EXPECT_TRUE(options.parts_backward);
  options.cuts = {Cut::pipeline};
  options.chunks = {1, 2};
  options.most_stages = 8;
  const std::vector<Strategy> space = strategy_space(4, 4, {}, options);
  ASSERT_EQ(space.size(), 3U);
  EXPECT_EQ(to_text(space[0]), "pipeline:4; micro_batches=4");
  EXPECT_EQ(to_text(space[1]), "pipeline:4; micro_batches=4; chunks=2");
  EXPECT_EQ(to_text(space[2]), "pipeline:4; micro_batches=4; schedule=zb_h1; chunks=2");
  Strategy base;
  base.schedule = PipelineSchedule::zb_h2;
  EXPECT_EQ(variants_of(space[0], base, options).size(), 1U) << "in the order of the base alone";
}

/// Of 24 blocks over two ranks at most 12, and no count that leaves one rank more than the other.
TEST(Space, ARankHasAStageForEachOfItsBlocks) {
  SpaceOptions options;
  options.cuts = {Cut::pipeline};
  options.chunks = {1, 2, 4};
  options.most_stages = 24;
  const auto chunks_of = [&](std::int64_t ranks) {
    std::vector<std::int64_t> chunks;
    for (const Strategy& one : strategy_space(ranks, ranks, {}, options)) {
      chunks.push_back(one.chunks);
    }
    return chunks;
  };
  EXPECT_EQ(chunks_of(2), (std::vector<std::int64_t>{1, 2, 4, 6, 12}));
  EXPECT_EQ(chunks_of(4), (std::vector<std::int64_t>{1, 2, 4, 6}));
  EXPECT_EQ(chunks_of(5), (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_EQ(chunks_of(16), (std::vector<std::int64_t>{1}));
}

TEST(Space, FourAxesComeInOneOrder) {
  SpaceOptions options;
  options.cuts = {Cut::alternate, Cut::context, Cut::pipeline, Cut::sample};
  const auto of_four = [&] {
    std::vector<std::string> found;
    for (const Strategy& one : strategy_space(16, 1, {}, options)) {
      if (one.mesh.size() == 4) found.push_back(to_text(one));
    }
    return found;
  };
  EXPECT_TRUE(of_four().empty());
  options.most_in_order = 4;
  EXPECT_EQ(of_four(),
            std::vector<std::string>{"pipeline:2,data:2,context:2,tensor:2; micro_batches=1"});
}

TEST(Space, HasEveryCombinationOnceAndOwnOptionsFirst) {
  SpaceOptions options;
  Device device;
  device.device_class = DeviceClass::gpu;
  tune(device, {}, options);
  Strategy base, pipeline;
  pipeline.mesh = {{2, Cut::pipeline}};
  // 9 buckets, 4 exchanges, overlap or not; 25 MiB is none of the buckets.
  EXPECT_EQ(variants_of({}, base, options).size(), 9 * 4 * 2 + 1U);
  EXPECT_EQ(variants_of(pipeline, base, options).size(), 9 * 4 * 2 * 2 + 1U);
  base.bucket = options.buckets[3];
  const std::vector<Variant> variants = variants_of(pipeline, base, options);
  EXPECT_EQ(variants.size(), 9 * 4 * 2 * 2U);
  EXPECT_EQ(variants.front(), variant_of(base));
  for (std::size_t i = 0; i < variants.size(); ++i) {
    EXPECT_EQ(std::count(variants.begin(), variants.end(), variants[i]), 1);
  }
}

}  // namespace space_test
}  // namespace oracle
