#include "oracle/plan/strategy/strategy_options.h"

#include <array>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace strategy_options_test {

/// A value other than the usual one, of each row.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kOther = {{
    {"micro_batches", "3"},
    {"schedule", "gpipe"},
    {"chunks", "2"},
    {"exchange", "ring"},
    {"staleness", "4"},
    {"bucket", "50 MiB"},
    {"overlap", "off"},
    {"batch_norm", "local"},
    {"zero", "2"},
    {"shard", "8"},
    {"sync", "step"},
    {"backup", "2"},
    {"reshard", "off"},
    {"recompute", "full"},
    {"regather", "on"},
    {"token_groups", "4"},
    {"expert_load", "zipf:1"},
    {"stages", "conv3_1,fc6"},
    {"offload", "optimizer+activations:2"},
    {"tensor_overlap", "on"},
    {"expert_overlap", "on"},
    {"fusion", "off"},
}};

TEST(StrategyOptions, EachIsReadAndWrittenByItsRow) {
  ASSERT_EQ(all_strategy_options().size(), kOther.size());
  for (std::size_t i = 0; i < kOther.size(); ++i) {
    const StrategyOption& option = all_strategy_options()[i];
    EXPECT_EQ(option.name, kOther[i].first);
    Strategy strategy;
    EXPECT_EQ(option.written(strategy), "") << "goes without saying";
    option.read(kOther[i].second, strategy);
    EXPECT_EQ(option.written(strategy), kOther[i].second);
    Strategy one_set;
    option.read(option.written(strategy), one_set);
    EXPECT_EQ(one_set, strategy);
  }
}

/// Written back it would go without saying, so its text would mean another.
TEST(StrategyOptions, NoneTakesAnEmptyValue) {
  for (const StrategyOption& option : all_strategy_options()) {
    Strategy strategy;
    EXPECT_THROW(option.read("", strategy), InputError) << option.name;
  }
}

TEST(StrategyOptions, OneRankAloneSharesNothing) {
  Strategy strategy;
  EXPECT_THROW(strategy_option("shard")->read("1", strategy), InputError);
  strategy_option("shard")->read("all", strategy);
  EXPECT_EQ(strategy.shard, 0);
}

TEST(StrategyOptions, NamesOfStagesAreListed) {
  Strategy strategy;
  strategy_option("stages")->read(" a , b*c", strategy);
  EXPECT_EQ(strategy.stages, (std::vector<std::string>{"a", "b*c"}));
  EXPECT_THROW(strategy_option("stages")->read("a,,b", strategy), InputError);
  // What would end a name matches itself.
  strategy.stages = {"x;y", "p,q"};
  EXPECT_EQ(strategy_option("stages")->written(strategy), "x*y,p*q");
}

TEST(StrategyOptions, AreFoundByName) {
  EXPECT_EQ(strategy_option("bucket")->usual, "25 MiB");
  EXPECT_EQ(strategy_option("conv*"), nullptr);
}

}  // namespace strategy_options_test
}  // namespace oracle
