#include "oracle/budget/convergence.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace convergence_test {

ConvergencePoint point(std::int64_t batch, double data, double deviation = 0) {
  ConvergencePoint made;
  made.batch = batch;
  made.data = data;
  made.deviation = deviation;
  return made;
}

const std::vector<ConvergencePoint> kExact = {point(100, 11), point(200, 12), point(400, 14)};

TEST(ConvergenceLaw, PointsOfTheLawGiveItBack) {
  const ConvergenceLaw law = fit_law(kExact);
  EXPECT_NEAR(law.least, 10, 1e-9);
  EXPECT_NEAR(law.critical_batch(), 1000, 1e-6);
  EXPECT_EQ(law.first, 100);
  EXPECT_EQ(law.last, 400);
  EXPECT_NEAR(law.uncertainty, 0, 1e-9);
  // At B_crit training needs twice E_min.
  EXPECT_NEAR(law.data_at(law.critical_batch()), 2 * law.least, 1e-9);
}

TEST(ConvergenceLaw, OutsideThePointsTheIntervalHasAllThatTheLawAdds) {
  const ConvergenceLaw law = fit_law(kExact);
  const DataToTarget inside = data_to_target(law, 400);
  EXPECT_FALSE(inside.extrapolated);
  EXPECT_NEAR(inside.uncertainty, 0, 1e-9);
  const DataToTarget outside = data_to_target(law, 800);
  EXPECT_TRUE(outside.extrapolated);
  EXPECT_NEAR(outside.amount, 18, 1e-9);
  EXPECT_NEAR(outside.uncertainty, 4.0 / 18, 1e-9);
  const DataToTarget below = data_to_target(law, 50);
  EXPECT_TRUE(below.extrapolated);
  EXPECT_NEAR(below.uncertainty, 0.5 / 10.5, 1e-9);
}

/// McCandlish et al., arXiv 1812.06162: at B_crit training needs twice the data of small batches.
TEST(ConvergenceLaw, ACriticalBatchIsALawWhoseAdditionIsUncertain) {
  const ConvergenceLaw law = law_of(90, 1000);
  const DataToTarget data = data_to_target(law, 250);
  EXPECT_NEAR(data.amount, 112.5, 1e-9);
  EXPECT_NEAR(data.uncertainty, 0.2, 1e-3);
  EXPECT_TRUE(data.extrapolated);
  EXPECT_NEAR(data_to_target(law, 1000).amount, 180, 1e-9);
  EXPECT_NEAR(data_to_target(law, 1000).uncertainty, 0.5, 1e-3);
  EXPECT_FALSE(data_to_target(law, 1).extrapolated);
}

TEST(ConvergenceLaw, NoOtherLawHasSmallerRelativeErrors) {
  const std::vector<ConvergencePoint> points = {point(256, 2.55), point(1536, 2.78),
                                                point(4096, 2.84), point(16384, 5.5)};
  const auto sum_of = [&](const ConvergenceLaw& law) {
    double sum = 0;
    for (const ConvergencePoint& each : points) sum += std::pow(signed_error(law, each), 2);
    return sum;
  };
  const ConvergenceLaw law = fit_law(points);
  for (const double least : {0.99, 1.0, 1.01}) {
    for (const double slope : {0.99, 1.0, 1.01}) {
      ConvergenceLaw other = law;
      other.least *= least;
      other.slope *= slope;
      EXPECT_GE(sum_of(other), sum_of(law)) << least << " " << slope;
    }
  }
}

TEST(ConvergenceLaw, RunsThatDifferWidenTheInterval) {
  std::vector<ConvergencePoint> points = kExact;
  for (ConvergencePoint& each : points) each.deviation = each.data / 10;
  // A tenth of standard deviation, at the 0.95 quantile of the normal distribution.
  EXPECT_NEAR(fit_law(points).uncertainty, 0.16449, 1e-6);
}

TEST(ConvergenceLaw, PointsHeldOutChangeNothing) {
  std::vector<ConvergencePoint> points = kExact;
  points.push_back(point(5000, 1));
  points.back().held_out = true;
  const ConvergenceLaw law = fit_law(points);
  EXPECT_NEAR(law.least, 10, 1e-9);
  EXPECT_EQ(law.last, 400);
}

TEST(ConvergenceLaw, DataThatDoesNotGrowIsTheSameAtAnyBatch) {
  const ConvergenceLaw law = fit_law({point(100, 12), point(200, 11), point(400, 10)});
  EXPECT_EQ(law.slope, 0);
  EXPECT_TRUE(std::isinf(law.critical_batch()));
  EXPECT_GT(law.least, 10);
  EXPECT_LT(law.least, 12);
}

TEST(ConvergenceLaw, DataInProportionToTheBatchHasNoLeast) {
  const ConvergenceLaw law = fit_law({point(100, 1), point(200, 2.2), point(400, 4.6)});
  EXPECT_EQ(law.least, 0);
  EXPECT_NEAR(law.slope, 0.011, 0.0005);
}

TEST(ConvergenceLaw, TooFewPointsAreADefect) {
  EXPECT_THROW(fit_law({point(1, 1), point(2, 2)}), Defect);
  EXPECT_THROW(fit_law({point(4, 1), point(4, 2), point(4, 3)}), Defect);
}

TEST(Convergence, TokensAreCountedAsSamplesOfASequence) {
  Convergence texts;
  texts.unit = DataUnit::tokens;
  texts.points = {point(1536, 2048e6, 2048)};
  const Convergence samples = in_samples(texts, 2048);
  EXPECT_EQ(samples.unit, DataUnit::samples);
  EXPECT_EQ(samples.points[0].data, 1e6);
  EXPECT_EQ(samples.points[0].deviation, 1);
  texts.unit = DataUnit::epochs;
  EXPECT_EQ(in_samples(texts, 2048).points[0].data, 2048e6);
}

TEST(Convergence, TheNearestPointIsSoByRatio) {
  EXPECT_EQ(nearest_point(kExact, 300).batch, 400);
  EXPECT_EQ(nearest_point(kExact, 1).batch, 100);
  EXPECT_EQ(nearest_point(kExact, 100000).batch, 400);
  EXPECT_THROW(nearest_point({}, 1), Defect);
}

}  // namespace convergence_test
}  // namespace oracle
