#include "oracle/report/ranking_report.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace ranking_report_test {

using Json = nlohmann::ordered_json;

Candidate candidate(std::int64_t degree, double seconds) {
  Strategy strategy;
  strategy.mesh = {{degree, Cut::sample}};
  return {strategy,
          {Seconds{seconds}, Source::assumed, 0.1},
          64 / seconds,
          Bytes{1024.0 * 1024},
          Bottleneck::memory_bandwidth,
          Seconds{0.001}};
}

class RankingReport : public testing::Test {
 protected:
  RankingReport() {
    ranking_.considered = 5;
    ranking_.fitting = 3;
    ranking_.candidates = {candidate(2, 0.02), candidate(4, 0.04), candidate(8, 0.08)};
    ranking_.refused = {{Constraint::filters, 2, two_replicas(), *refused().infeasible()}};
    view_.ranks = 2;
    view_.training = small_training();
  }

  Document report(const Evaluation* best) const {
    return ranking_report({graph_, cluster_, {}}, ranking_, best, view_);
  }

  Graph graph_ = small_graph();
  Cluster cluster_ = small_cluster();
  Ranking ranking_;
  RankingView view_;
};

TEST_F(RankingReport, NamesTheBestThenRanksThenExplains) {
  view_.most_shown = 2;
  const Evaluation best = fitting();
  const std::string text = as_table(report(&best));
  EXPECT_TRUE(text.starts_with(
      "data:2   step 41.2 ms ± 12 %   1,553 samples/s   9.10 of 15.9 GiB per GPU\n"
      "\n"
      "small on pair, 2 GPUs, batch 64, fp32, momentum; 5 considered, 3 fit, fastest first\n"
      "\n"
      "  #  strategy     step     ±  samples/s    memory  exposed  limited by\n"
      "  1  data:2    20.0 ms  10 %      3,200  1.00 MiB  1.00 ms  memory bandwidth\n"
      "  2  data:4    40.0 ms  10 %      1,600  1.00 MiB  1.00 ms  memory bandwidth\n"
      "  and more that fit; --top 4 shows as many again\n"
      "\n"
      "data:2\n"
      "  forward            12.0 ms   29 %\n"))
      << text;
  EXPECT_NE(text.find("2 strategies do not fit; for each reason the one that comes nearest\n"
                      "  count  reason   nearest  why\n"
                      "      2  filters  data:2   layer fc: needs 16 filters, has 10 filters; use "
                      "at most filter:10\n"),
            std::string::npos)
      << text;
}

TEST_F(RankingReport, EqualProgramsAreOneRowAndTheHeadlineCountsThoseAsGood) {
  ranking_.candidates[1].also = {parse_strategy("filter:2,width:2")};
  view_.recommended = {1, 2};
  const Evaluation best = fitting();
  const Document document = report(&best);
  const std::string text = as_table(document);
  EXPECT_NE(text.find("per GPU   2 others within 3 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\nalso as\n  2  filter:2,width:2\n"), std::string::npos) << text;
  const Json json = Json::parse(as_json(document));
  EXPECT_EQ(json["recommended"], "data:4");
  EXPECT_EQ(json["as_good"], 2);
  EXPECT_EQ(json["candidates"][1]["also"], "filter:2,width:2");
  EXPECT_EQ(json["candidates"][0]["also"], nullptr);
}

TEST_F(RankingReport, JsonAndCsvHoldAsManyCandidatesAsATable) {
  view_.most_shown = 2;
  const Evaluation best = fitting();
  const Json json = Json::parse(as_json(report(&best)));
  EXPECT_EQ(json["schema"], "oracle/ranking/1");
  ASSERT_EQ(json["candidates"].size(), 2U);
  view_.most_shown = 3;
  const Json whole = Json::parse(as_json(report(&best)));
  EXPECT_EQ(whole["candidates"][2]["strategy"], "data:8");
  EXPECT_EQ(whole["candidates"][2]["step_time"]["value"], 0.08);
  EXPECT_EQ(json["candidates"][0]["bottleneck"], "memory_bandwidth");
  EXPECT_EQ(json["refused"][0]["count"], 2);
  EXPECT_EQ(json["refused"][0]["remedy"], "use at most filter:10");
  const std::string csv = as_csv(report(&best));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
}

TEST_F(RankingReport, NothingThatFitsIsTheAnswerWithReasons) {
  ranking_.candidates.clear();
  const std::string text = as_table(report(nullptr));
  EXPECT_TRUE(text.starts_with("nothing fits on 2 GPUs   5 strategies considered\n")) << text;
  EXPECT_NE(text.find("use at most filter:10"), std::string::npos);
  EXPECT_EQ(text.find("forward"), std::string::npos);
  EXPECT_EQ(text.find(" ms"), std::string::npos);
}

TEST_F(RankingReport, TheFrontierStandsInPlaceOfAllCandidates) {
  view_.frontier = {candidate(4, 0.04)};
  const Document document = report(nullptr);
  const std::string text = as_table(document);
  EXPECT_NE(text.find("no other beats these in both time and memory\n"
                      "  #  strategy     step"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("data:8"), std::string::npos);
  const Json json = Json::parse(as_json(document));
  EXPECT_EQ(json["candidates"].size(), 3U);
  ASSERT_EQ(json["frontier"].size(), 1U);
  EXPECT_EQ(json["frontier"][0]["strategy"], "data:4");
  EXPECT_TRUE(as_csv(document).find("1,data:4,0.04") != std::string::npos);
}

TEST_F(RankingReport, CostsAreShownWhereTheyAreTheObjective) {
  ranking_.candidates[0].spending = {0.0105, 164.06};
  EXPECT_EQ(as_table(report(nullptr)).find('$'), std::string::npos);
  view_.objective = Objective::cost;
  const Document document = report(nullptr);
  const std::string text = as_table(document);
  EXPECT_NE(text.find("cheapest first"), std::string::npos);
  EXPECT_NE(
      text.find("  1  data:2    20.0 ms  10 %      3,200  1.00 MiB  1.00 ms  memory bandwidth  "
                "$0.0105         $164\n"),
      std::string::npos)
      << text;
  const Json first = Json::parse(as_json(document))["candidates"][0];
  EXPECT_EQ(first["cost_per_step"], Json::parse(R"({"value": 0.0105, "unit": "USD"})"));
  EXPECT_EQ(first["throughput"]["value"], 3200);
}

}  // namespace ranking_report_test
}  // namespace oracle::report
