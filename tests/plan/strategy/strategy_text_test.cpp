#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {
namespace strategy_text_test {

using Mesh = std::vector<MeshAxis>;
using Cuts = std::vector<Cut>;

TEST(StrategyText, ReadsAxesOutermostFirst) {
  const Strategy strategy = parse_strategy("data:16,filter:4");
  EXPECT_EQ(strategy.mesh, (Mesh{{16, Cut::sample}, {4, Cut::filter}}));
  EXPECT_EQ(strategy.ranks(), 64);
  EXPECT_EQ(strategy.degrees(), (std::vector<std::int64_t>{16, 4}));
  EXPECT_TRUE(strategy.has(Cut::filter));
  EXPECT_FALSE(strategy.has(Cut::channel));
  EXPECT_TRUE(strategy.rules.empty());
}

TEST(StrategyText, KnowsEveryAxisName) {
  const std::vector<std::pair<std::string, Cut>> names = {
      {"data", Cut::sample},     {"spatial", Cut::spatial},  {"depth", Cut::depth},
      {"height", Cut::height},   {"width", Cut::width},      {"filter", Cut::filter},
      {"channel", Cut::channel}, {"tensor", Cut::alternate}, {"pipeline", Cut::pipeline},
      {"whole", Cut::none}};
  for (const auto& [name, cut] : names) {
    EXPECT_EQ(parse_strategy(name + ":2").mesh, (Mesh{{2, cut}})) << name;
  }
}

TEST(StrategyText, KnowsTheShortNamesOfTheField) {
  EXPECT_EQ(parse_strategy("dp:4,tp:8,pp:2"), parse_strategy("data:4,tensor:8,pipeline:2"));
  EXPECT_EQ(to_text(parse_strategy("dp,tp:8")), "data,tensor:8");
}

TEST(StrategyText, OneRankHasNoMesh) {
  EXPECT_EQ(parse_strategy("serial"), Strategy{});
  EXPECT_EQ(parse_strategy("data:1"), Strategy{});
  EXPECT_EQ(parse_strategy("data:1,filter:4").mesh, (Mesh{{4, Cut::filter}}));
}

TEST(StrategyText, GridsAreInnermostAxesFirst) {
  EXPECT_EQ(parse_strategy("spatial:2x4").mesh, (Mesh{{2, Cut::height}, {4, Cut::width}}));
  EXPECT_EQ(parse_strategy("data:8,spatial:2x3x4").mesh,
            (Mesh{{8, Cut::sample}, {2, Cut::depth}, {3, Cut::height}, {4, Cut::width}}));
  EXPECT_EQ(parse_strategy("spatial:4").mesh, (Mesh{{4, Cut::spatial}}));
}

TEST(StrategyText, AnAxisMayLeaveItsDegreeOpen) {
  EXPECT_EQ(parse_strategy("data,filter:4").mesh, (Mesh{{0, Cut::sample}, {4, Cut::filter}}));
  EXPECT_EQ(parse_strategy("spatial").mesh, (Mesh{{0, Cut::spatial}}));
}

TEST(StrategyText, LayerRangesOfOneMeshShareIt) {
  const Strategy strategy = parse_strategy("conv*=data:32; fc*=filter:32");
  EXPECT_EQ(strategy.mesh, (Mesh{{32, Cut::follow}}));
  ASSERT_EQ(strategy.rules.size(), 2U);
  EXPECT_EQ(strategy.rules[0], (LayerRule{"conv*", {Cut::sample}}));
  EXPECT_EQ(strategy.rules[1], (LayerRule{"fc*", {Cut::filter}}));
}

TEST(StrategyText, MeshesOfSeveralRangesAreRefinedToOne) {
  const Strategy strategy = parse_strategy("conv*=data:32; fc*=data:4,filter:8; loss=none");
  EXPECT_EQ(strategy.mesh, (Mesh{{4, Cut::follow}, {8, Cut::follow}}));
  ASSERT_EQ(strategy.rules.size(), 3U);
  EXPECT_EQ(strategy.rules[0].cuts, (Cuts{Cut::sample, Cut::sample}));
  EXPECT_EQ(strategy.rules[1].cuts, (Cuts{Cut::sample, Cut::filter}));
  EXPECT_EQ(strategy.rules[2].cuts, (Cuts{Cut::none, Cut::none}));
}

TEST(StrategyText, RefinementNestsThreeMeshes) {
  // Partial products 12 | 2, 12 | 6, 12: together 2, 6, 12, hence degrees 2, 3, 2.
  const Strategy strategy = parse_strategy("data:12; a=data:2,filter:6; b=height:6,width:2");
  EXPECT_EQ(strategy.mesh, (Mesh{{2, Cut::sample}, {3, Cut::sample}, {2, Cut::sample}}));
  EXPECT_EQ(strategy.rules[0].cuts, (Cuts{Cut::sample, Cut::filter, Cut::filter}));
  EXPECT_EQ(strategy.rules[1].cuts, (Cuts{Cut::height, Cut::height, Cut::width}));
}

TEST(StrategyText, ReadsOptions) {
  const Strategy strategy = parse_strategy(
      "data:8,pipeline:4; micro_batches=16; schedule=gpipe; exchange=ring; bucket=1 MiB; "
      "overlap=off; batch_norm=synchronized");
  EXPECT_EQ(strategy.micro_batches, 16);
  EXPECT_EQ(strategy.schedule, PipelineSchedule::gpipe);
  EXPECT_EQ(strategy.exchange, "ring");
  EXPECT_EQ(strategy.bucket, Bytes{1048576});
  EXPECT_FALSE(strategy.overlap);
  EXPECT_EQ(strategy.batch_norm, BatchNormMode::synchronized);
  EXPECT_EQ(parse_strategy("data:2; schedule=1f1b").schedule, PipelineSchedule::one_f_one_b);
  EXPECT_EQ(parse_strategy("data:2; batch_norm=local").batch_norm, BatchNormMode::local);
  EXPECT_TRUE(parse_strategy("data:2; overlap=on").overlap);
  EXPECT_TRUE(parse_strategy("data:2").fusion);
  EXPECT_FALSE(parse_strategy("data:2; fusion=off").fusion);
}

TEST(StrategyText, BlanksDoNotMatter) {
  EXPECT_EQ(parse_strategy("  data : 4 ,filter:2 ;  overlap = off"),
            parse_strategy("data:4,filter:2;overlap=off"));
}

TEST(StrategyText, ReadsBackWhatItPrints) {
  const std::vector<std::string> texts = {
      "serial",
      "data:16,filter:4",
      "data,filter:4",
      "spatial:4",
      "height:2,width:2",
      "conv*=data:32; fc*=filter:32",
      "data:4,data:8; fc*=data:4,filter:8",
      "conv*|fc8=data:4; loss=none",
      "whole:4",
      "data:2,filter:4; relu*=data:2,whole:4",
      "data:8,pipeline:4; micro_batches=16; schedule=gpipe",
      "data:8,pipeline:4; micro_batches=16; schedule=zb_h1; chunks=2",
      "data:2; exchange=ring; bucket=1 MiB; overlap=off; batch_norm=local",
      "serial; fusion=off",
      "tensor:4; micro_batches=2"};
  for (const std::string& text : texts) {
    const Strategy strategy = parse_strategy(text);
    EXPECT_EQ(to_text(strategy), text);
    EXPECT_EQ(parse_strategy(to_text(strategy)), strategy) << text;
  }
}

TEST(StrategyText, PrintsRefinedMeshes) {
  EXPECT_EQ(to_text(parse_strategy("conv*=data:32; fc*=data:4,filter:8")),
            "conv*=data:4,data:8; fc*=data:4,filter:8");
}

TEST(StrategyText, ABucketIsAWholeNumberOfBytes) {
  EXPECT_EQ(parse_strategy("data:2; bucket=5.9 B").bucket, Bytes{6});
  EXPECT_EQ(to_text(parse_strategy("data:2; bucket=1.1 MiB")), "data:2; bucket=1153434 B");
  EXPECT_EQ(to_text(parse_strategy("data:2; bucket=1.5 KiB")), "data:2; bucket=1536 B");
  EXPECT_EQ(to_text(parse_strategy("data:2; bucket=0 B")), "data:2; bucket=0 B");
  EXPECT_EQ(to_text(parse_strategy("data:2; bucket=2048 GiB")), "data:2; bucket=2048 GiB");
}

TEST(StrategyText, OneMicroBatchGoesWithoutSaying) {
  EXPECT_EQ(to_text(parse_strategy("data:4; micro_batches=1")), "data:4");
  EXPECT_EQ(to_text(parse_strategy("pipeline:4; micro_batches=1")), "pipeline:4; micro_batches=1");
}

/// The only problem of a text that cannot be read, as printed.
std::string problem_of(const std::string& text) {
  try {
    parse_strategy(text);
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().size(), 1U) << text;
    EXPECT_EQ(error.problems().front().place, "--strategy") << text;
    EXPECT_FALSE(error.problems().front().remedy.empty()) << text;
    return error.what();
  }
  return "read without an error";
}

struct BadText {
  const char* text;
  const char* says;
};

class BadStrategy : public testing::TestWithParam<BadText> {};

TEST_P(BadStrategy, IsRefusedWithItsReason) {
  const std::string problem = problem_of(GetParam().text);
  EXPECT_NE(problem.find(GetParam().says), std::string::npos)
      << GetParam().text << " says: " << problem;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadStrategy,
    testing::Values(
        BadText{"dta:4",
                "unknown axis \"dta\"; did you mean \"data\"? See: oracle list strategies"},
        BadText{"da\nta:4", "unknown axis \"da?ta\""}, BadText{"data:4,", "unknown axis \"\""},
        BadText{"", "a part of the strategy is empty"},
        BadText{"data:4;", "a part of the strategy is empty"},
        BadText{"data:4;;overlap=off", "a part of the strategy is empty"},
        BadText{"overlap=off", "names no mesh"}, BadText{"=data:4", "nothing stands before '='"},
        BadText{"data:0", "degree of \"data\""}, BadText{"data:-4", "degree of \"data\""},
        BadText{"data:nan", "degree of \"data\""}, BadText{"data:2.5", "degree of \"data\""},
        BadText{"data:1e3", "degree of \"data\""}, BadText{"data:", "degree of \"data\""},
        BadText{"data:1000000001", "degree of \"data\""},
        BadText{"data:99999999999999999999", "degree of \"data\""},
        BadText{"spatial:2x0", "degree of \"spatial\""},
        BadText{"spatial:2x2x2x2", "more than 3 axes"},
        BadText{"data,filter", "two axes have no degree"},
        BadText{"data; fc*=filter:4", "an axis without a degree cannot be combined with"},
        BadText{"data:4; filter:4", "two parts are for all layers"},
        BadText{"conv*=data:4; fc*=filter:8", "one layer range has 4 ranks and another 8"},
        BadText{"a=data:4,filter:9; b=data:6,filter:6", "do not nest: 4 ranks do not divide 6"},
        BadText{"conv*=data:4; fc*=pipeline:4", "\"fc*\" has another pipeline"},
        BadText{"data:2,pipeline:2; fc*=data:4", "\"fc*\" has another pipeline"},
        BadText{"pipeline:2,data:2,pipeline:2", "pipeline stands on two axes"},
        BadText{"data:2,filter:2,channel:2,tensor:2,data:2,filter:2,channel:2,tensor:2,width:2",
                "more than 8 axes"},
        BadText{"data,filter:2,channel:2,tensor:2,data:2,filter:2,channel:2,tensor:2,width:2",
                "more than 8 axes"},
        BadText{"data:1000000000,filter:2", "more than 10^9 ranks"},
        BadText{"data,filter:1000000000,channel:1000000000,tensor:1000000000",
                "more than 10^9 ranks"},
        BadText{"data:4; micro_batches=0", "option \"micro_batches\""},
        BadText{"pipeline:8; micro_batches=1000000001", "option \"micro_batches\""},
        BadText{"data:4; overlap=off; overlap=off", "option \"overlap\" stands twice"},
        BadText{"pipeline:2; stages=", "option \"stages\" has an empty name"},
        BadText{"data:4; schedule=gpip", "did you mean \"gpipe\"?"},
        BadText{"data:4; overlapp=off",
                "\"overlapp\" is not an option of a strategy; did you mean \"overlap\"?"},
        BadText{"data:4; pinned=on",
                "\"pinned\" is not an option of a strategy; known: micro_batches, "},
        BadText{"data:4; recompute=on", "\"recompute\" is no switch"},
        BadText{"data:4; zero=4", "\"zero\" cannot be \"4\""},
        BadText{"data:4; fc6=filtr", "unknown axis \"filtr\"; did you mean \"filter\"?"},
        BadText{"data:4; fc*=on", "unknown axis \"on\""},
        BadText{"data:4; overlap=yes", "\"overlap\" is on or off"},
        BadText{"data:4; batch_norm=sync", "\"batch_norm\" cannot be \"sync\""},
        BadText{"data:4; bucket=25", "\"bucket\": \"25\" has no unit; write \"bucket=25 MiB\""},
        BadText{"data:4; bucket=1e9 PB", "\"bucket\" is larger than any network"}));

TEST(Strategy, ReplicasAreOfSamplesAndExpertsAlongAnyLayersAxes) {
  EXPECT_EQ(parse_strategy("data:4,expert:2,tensor:8").replicas(), 8);
  EXPECT_EQ(parse_strategy("conv*=data:32; fc*=filter:32").replicas(), 32);
  EXPECT_EQ(parse_strategy("serial").replicas(), 1);
}

}  // namespace strategy_text_test
}  // namespace oracle
