#include "microbench/compute/case_bench.h"

#include <gtest/gtest.h>
#include <map>

#include "microbench/compute/grid.h"
#include "oracle/base/error.h"

namespace oracle {
namespace case_bench_test {

constexpr StopRule kBrief{3, 0, 10, 1e-9};
constexpr Rotation kSmall{1 << 20, 2};

std::vector<std::string> names_of(const std::vector<BenchPass>& passes) {
  std::vector<std::string> names;
  for (const BenchPass& pass : passes) {
    names.push_back(std::string(name_of(pass.pass)) +
                    (pass.optimizer.empty() ? "" : " " + pass.optimizer));
  }
  return names;
}

Layer layer(const char* text) { return layer_of(parse_layer_case(text)); }

std::vector<BenchPass> passes_of(const char* text) { return passes_of(layer(text)); }

TEST(CaseBench, APassIsTimedWhereAStepRunsIt) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(passes_of("activation 1:16x4x4 function=relu")),
            (Names{"forward", "backward_data"}));
  EXPECT_EQ(names_of(passes_of("convolution 1:16x4x4 features=16 kernel=1")),
            (Names{"forward", "backward_data", "backward_weights"}));
  EXPECT_EQ(names_of(passes_of("dense 1:16 features=16")),
            (Names{"forward", "backward_data", "backward_weights", "update momentum", "update sgd",
                   "update adam"}));
  EXPECT_EQ(names_of(passes_of("add 1:16x4x4+16x4x4")),
            (Names{"forward", "backward_data", "gradient_sum"}));
  EXPECT_EQ(names_of(passes_of("batch_norm 1:16x4x4")), (Names{"forward", "backward_data"}));
  for (const char* own_pass :
       {"layer_norm 1:16@4", "rms_norm 1:16@4", "embedding 1:1@4 entries=8 features=16",
        "added_rows 1:16@4 entries=4", "attention 1:16@4+16@4+16@4 relative=8 heads=2",
        "expert_dense 1:16@4 experts=2 features=8"}) {
    EXPECT_EQ(names_of(passes_of(own_pass)),
              (Names{"forward", "backward_data", "backward_weights"}))
        << own_pass;
  }
}

TEST(CaseBench, WhatOthersRanAfterIsInNoCacheOfACoresOwn) {
  const auto follows = [](const char* of, Pass pass) { return follows_others(layer(of), pass); };
  EXPECT_FALSE(follows("activation 1:16x4x4 function=relu", Pass::backward_data));
  EXPECT_TRUE(follows("pool 1:16x4x4 mode=max kernel=2", Pass::backward_data));
  EXPECT_TRUE(follows("batch_norm 1:16x4x4", Pass::forward));
  EXPECT_FALSE(follows("activation 1:16x4x4 function=relu", Pass::forward));
  EXPECT_FALSE(follows("batch_norm 1:16x4x4", Pass::backward_data));
  EXPECT_FALSE(follows("convolution 1:16x4x4 features=16 kernel=1", Pass::backward_data));
}

/// Every kind of the grid, as small as the grid has it.
TEST(CaseBench, EveryKindOfTheGridIsTimed) {
  const auto backend = all_backends().front().make(1);
  std::map<std::string, LayerCase> smallest;
  const auto elements = [](const LayerCase& of) {
    return of.samples * of.inputs[0].elements() + layer_of(of).parameters();
  };
  for (const LayerCase& of : grid(GridSize::full)) {
    const Layer layer = layer_of(of);
    const std::string name = of.kind + std::string(layer.variant) + std::to_string(of.spatial_rank);
    const auto [at, fresh] = smallest.try_emplace(name, of);
    if (!fresh && elements(of) < elements(at->second)) at->second = of;
  }
  EXPECT_GE(smallest.size(), 54U);
  SpeedGuard guard([] { return 1.0; });
  for (const auto& [name, of] : smallest) {
    CaseBench bench(*backend, of, kSmall);
    for (const BenchPass& pass : passes_of(layer_of(of))) {
      Series series;
      EXPECT_TRUE(bench.time(pass, Clock::wall, kBrief, guard, series)) << name;
      EXPECT_GT(series.median(), 0) << to_text(of) << name_of(pass.pass);
    }
  }
}

TEST(CaseBench, MoreWorkTakesLonger) {
  const auto backend = all_backends().front().make(1);
  SpeedGuard guard([] { return 1.0; });
  const auto time = [&](const char* text) {
    CaseBench bench(*backend, parse_layer_case(text), kSmall);
    Series series;
    bench.time({Pass::forward, {}}, Clock::processor, {5, 0, 10, 1e-9}, guard, series);
    return series.median();
  };
  EXPECT_LT(2 * time("convolution 1:32x16x16 features=32 kernel=3 pad=1"),
            time("convolution 16:32x16x16 features=32 kernel=3 pad=1"));
}

TEST(CaseBench, TimesOfTheProcessorComeWithItsSpeed) {
  const auto backend = all_backends().front().make(1);
  SpeedGuard guard([] { return 50.0; });
  CaseBench bench(*backend, parse_layer_case("add 1:16x4x4+16x4x4"), kSmall);
  Series series, wall;
  bench.time({Pass::forward, {}}, Clock::processor, kBrief, guard, series);
  EXPECT_DOUBLE_EQ(series.at_speed(100).median(), series.median() / 2);
  bench.time({Pass::forward, {}}, Clock::wall, kBrief, guard, wall);
  EXPECT_DOUBLE_EQ(wall.at_speed(1).median(), wall.median());
}

TEST(CaseBench, WhatRanWhileTheProcessorWasSlowIsLeftOut) {
  const auto backend = all_backends().front().make(1);
  double rate = 100;
  SpeedGuard guard([&] { return rate; });
  for (int i = 0; i < 10; ++i) guard.at_speed();
  rate = 10;
  CaseBench bench(*backend, parse_layer_case("add 1:16x4x4+16x4x4"), kSmall);
  Series series;
  EXPECT_FALSE(bench.time({Pass::forward, {}}, Clock::processor, kBrief, guard, series));
  EXPECT_TRUE(series.values().empty());
}

TEST(CaseBench, AKindThatNobodyRunsIsRefused) {
  const auto backend = all_backends().front().make(1);
  EXPECT_THROW(CaseBench(*backend, parse_layer_case("opaque 1:16x4x4"), kSmall), InputError);
}

}  // namespace case_bench_test
}  // namespace oracle
