#include "validate/trials/trials.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

#include "oracle/report/format/format.h"

namespace oracle {
namespace trials_run_test {

TrialsRequest request_of() {
  TrialsRequest request;
  request.search = {TrialScheduler::halving, 4, 2, 2};
  request.places = 2;
  request.steps = 10;
  request.least_rate = 0.01;
  request.most_rate = 1;
  request.step = {Seconds{0.1}, Source::measured, 0.05};
  request.subject = "a network";
  return request;
}

TEST(Trials, RatesLieEvenlyOverTheRange) {
  const TrialsRequest request = request_of();
  EXPECT_NEAR(rate_of(request, 0), 0.1, 1e-12);                 // 1/2 of two decades
  EXPECT_NEAR(rate_of(request, 1), std::pow(10, -1.5), 1e-12);  // 1/4
  EXPECT_NEAR(rate_of(request, 2), std::pow(10, -0.5), 1e-12);  // 3/4
  EXPECT_NEAR(rate_of(request, 3), std::pow(10, -1.75), 1e-12);
}

TEST(Trials, RunsEndAtWholeSteps) {
  EXPECT_EQ(step_at(request_of(), 0.5), 5);
  EXPECT_EQ(step_at(request_of(), 1.0 / 27), 1);
}

TEST(Trials, ALossIsThatOfTheLastQuarter) {
  EXPECT_DOUBLE_EQ(loss_of({9, 9, 9, 9, 9, 9, 2, 4}), 3);
  EXPECT_DOUBLE_EQ(loss_of({5}), 5);
  EXPECT_EQ(loss_of({1, 1, 1, std::nan("")}), std::numeric_limits<double>::infinity());
}

TEST(Trials, TheMeasuredTimeStandsBesideThePredicted) {
  const TrialsRequest request = request_of();
  TrialsOutcome outcome;
  outcome.start = Seconds{0.5};
  // Four runs of 5 steps and 0.5 s on two places, then two: 1 + 1 + 1 s.
  outcome.predicted = courses_of(request.search, 2, {Seconds{1}, outcome.start});
  EXPECT_NEAR(outcome.predicted.mean.makespan.value, 3, 1e-9);
  outcome.makespan = Seconds{2.5};
  outcome.runs = {{{0, 0, 0, 0, 0.5}, 4, Seconds{1}},
                  {{1, 0, 0, 0, 0.5}, 3, Seconds{1}},
                  {{1, 1, 0, 0.5, 1}, 2, Seconds{1}}};
  std::ostringstream page;
  report::write_table(trials_document(request, outcome), {}, page);
  EXPECT_TRUE(page.str().starts_with("search 2.50 s measured, 3.00 s predicted: +20 %\n"))
      << page.str();
  EXPECT_NE(page.str().find("2       10     1          2        2.00   0.0316"), std::string::npos)
      << page.str();
}

}  // namespace trials_run_test
}  // namespace oracle
