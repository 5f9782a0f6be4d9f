#include "oracle/base/cost.h"

#include <cmath>
#include <gtest/gtest.h>

namespace oracle {
namespace cost_test {

Cost cost(double milliseconds, double uncertainty, Source source) {
  return {Seconds{milliseconds * 1e-3}, source, uncertainty};
}

Cost sum_of(const Cost& a, const Cost& b) {
  CostSum sum;
  sum.add(a);
  sum.add(b);
  return sum.total();
}

TEST(CostSum, OneKindOfEvidenceErrsTogether) {
  const Cost sum = sum_of(cost(3, 0.10, Source::assumed), cost(1, 0.20, Source::assumed));
  EXPECT_DOUBLE_EQ(sum.time.value, 4e-3);
  EXPECT_DOUBLE_EQ(sum.uncertainty, 0.125);
  EXPECT_EQ(sum.source, Source::assumed);
}

TEST(CostSum, DifferentKindsErrIndependently) {
  const Cost sum = sum_of(cost(3, 0.10, Source::measured), cost(4, 0.10, Source::assumed));
  EXPECT_DOUBLE_EQ(sum.time.value, 7e-3);
  EXPECT_NEAR(sum.uncertainty, 0.5 / 7, 1e-12);
  EXPECT_NEAR(sum.uncertainty, 0.0714, 5e-5);
}

TEST(CostSum, KernelsOfAFitErrInPartTogether) {
  const auto fitted = [](double milliseconds, std::size_t index) {
    Cost of_fit = cost(milliseconds, 0.10, Source::interpolated);
    of_fit.fit = fit_number(index);
    return of_fit;
  };
  EXPECT_NEAR(sum_of(fitted(3, 0), fitted(4, 1)).uncertainty, 0.5 / 7, 1e-12);
  const double partly = std::sqrt(0.2 * 0.49 + 0.8 * 0.25) / 7;
  EXPECT_NEAR(partly, 0.0780, 5e-5);
  EXPECT_NEAR(sum_of(fitted(3, 1), fitted(4, 1)).uncertainty, partly, 1e-12);
  EXPECT_NEAR(sum_of(fitted(3, 1), fitted(4, 1 + kFitNumbers)).uncertainty, partly, 1e-12);
  EXPECT_EQ(sum_of(fitted(3, 1), fitted(4, 1)).fit, fit_number(1));
  EXPECT_EQ(sum_of(fitted(3, 0), fitted(4, 1)).fit, 0);
  EXPECT_EQ(sum_of(fitted(3, 1), cost(4, 0.10, Source::assumed)).fit, 0);
}

TEST(CostSum, ManyKernelsOfAFitAreSurerThanEachAndNeverCertain) {
  CostSum half, sum;
  for (int kernel = 0; kernel < 5000; ++kernel) {
    Cost of_fit = cost(1, 0.30, Source::interpolated);
    of_fit.fit = fit_number(0);
    half.add(of_fit);
  }
  sum.add(half);
  sum.add(half);
  EXPECT_NEAR(sum.total().uncertainty, 0.30 * std::sqrt(0.2 + 0.8 / 10000), 1e-12);
}

TEST(CostSum, RestsOnItsWeakestEvidence) {
  EXPECT_EQ(sum_of(cost(1, 0, Source::fitted), cost(1, 0, Source::measured)).source,
            Source::fitted);
  EXPECT_EQ(sum_of(cost(1, 0, Source::datasheet), cost(1, 0, Source::interpolated)).source,
            Source::datasheet);
}

TEST(CostSum, EvidenceOfNoTimeDoesNotCount) {
  const Cost sum = sum_of(cost(2, 0.1, Source::measured), cost(0, 0.9, Source::assumed));
  EXPECT_EQ(sum, cost(2, 0.1, Source::measured));
}

TEST(CostSum, OfNothingIsNothing) {
  const Cost nothing = CostSum{}.total();
  EXPECT_EQ(nothing.time.value, 0);
  EXPECT_EQ(nothing.uncertainty, 0);
}

TEST(CostSum, KeepsTimeApartBySource) {
  CostSum inner, outer;
  inner.add(cost(1, 0.5, Source::fitted));
  outer.add(cost(2, 0.5, Source::fitted));
  outer.add(cost(4, 0, Source::measured));
  outer.add(inner);
  EXPECT_DOUBLE_EQ(outer.time_of(Source::fitted).value, 3e-3);
  EXPECT_DOUBLE_EQ(outer.time_of(Source::measured).value, 4e-3);
  EXPECT_EQ(outer.time_of(Source::assumed).value, 0);
  EXPECT_NEAR(outer.total().uncertainty, 1.5 / 7, 1e-12);
}

TEST(Cost, RepeatedKeepsItsRelativeError) {
  EXPECT_EQ(cost(2, 0.1, Source::fitted) * 4.0, cost(8, 0.1, Source::fitted));
}

TEST(Source, HasANameForEachKind) {
  EXPECT_EQ(name_of(Source::measured), "measured");
  EXPECT_EQ(name_of(Source::fitted), "fitted");
  EXPECT_EQ(name_of(Source::interpolated), "interpolated");
  EXPECT_EQ(name_of(Source::datasheet), "datasheet");
  EXPECT_EQ(name_of(Source::assumed), "assumed");
}

}  // namespace cost_test
}  // namespace oracle
