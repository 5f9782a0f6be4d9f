#include "oracle/calibrate/piecewise.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace oracle {
namespace piecewise_test {

/// 4 B to 256 MB by factors of 2: 27 sizes.
std::vector<FitPoint> points_of(double (*time)(double)) {
  std::vector<FitPoint> points;
  for (double x = 4; x <= 2.7e8; x *= 2) points.push_back({x, time(x)});
  return points;
}

double two_regimes(double x) { return x < 1e5 ? 10e-6 + x / 1e9 : 50e-6 + x / 4e9; }

void expect_two_regimes(const std::vector<FitPiece>& pieces, const std::vector<FitPoint>& points,
                        double within) {
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(points[pieces[1].first].x, 131072);
  EXPECT_NEAR(pieces[0].line.intercept, 10e-6, within * 10e-6);
  EXPECT_NEAR(pieces[0].line.slope, 1e-9, within * 1e-9);
  EXPECT_NEAR(pieces[1].line.intercept, 50e-6, within * 50e-6);
  EXPECT_NEAR(pieces[1].line.slope, 0.25e-9, within * 0.25e-9);
}

TEST(Piecewise, FindsTheBreak) {
  const std::vector<FitPoint> points = points_of(two_regimes);
  expect_two_regimes(fit_pieces(points), points, 1e-6);
}

TEST(Piecewise, OneLineStaysOne) {
  const std::vector<FitPoint> points = points_of([](double x) { return 3e-6 + x / 12e9; });
  const std::vector<FitPiece> pieces = fit_pieces(points);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NEAR(pieces[0].line.intercept, 3e-6, 1e-12);
  EXPECT_NEAR(1 / pieces[0].line.slope, 12e9, 1e4);
}

TEST(Piecewise, ATenfoldOutlierMovesNothing) {
  // Wherever two of the sizes are ten times too slow.
  const std::vector<FitPoint> clean = points_of(two_regimes);
  for (std::size_t first = 0; first < clean.size(); first += 3) {
    std::vector<FitPoint> points = clean;
    points[first].y *= 10;
    points[(first + 7) % clean.size()].y *= 10;
    SCOPED_TRACE(first);
    const std::vector<FitPiece> pieces = fit_pieces(points);
    for (std::size_t i = 0; i < clean.size(); ++i) {
      const bool edge = clean[i].x == 131072 || clean[i].x == 65536;
      if (edge) continue;
      EXPECT_NEAR(line_at(pieces, points, clean[i].x).at(clean[i].x) / clean[i].y, 1, 0.02)
          << clean[i].x;
    }
  }
}

TEST(Piecewise, NoiseMakesNoBreaks) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  for (int round = 0; round < 20; ++round) {
    std::vector<FitPoint> points = points_of([](double x) { return 5e-6 + x / 2e9; });
    for (FitPoint& point : points) point.y *= std::exp(noise(random));
    const std::vector<FitPiece> pieces = fit_pieces(points);
    EXPECT_LE(pieces.size(), 2U);
    EXPECT_NEAR(1 / pieces.back().line.slope, 2e9, 0.15 * 2e9);
  }
}

TEST(Piecewise, CoefficientsAreNeverNegative) {
  // Superlinear times would have a line with a negative intercept.
  std::vector<FitPoint> points;
  for (double x = 1; x < 1000; x *= 1.5) points.push_back({x, x * x});
  for (const FitPiece& piece : fit_pieces(points)) {
    EXPECT_GE(piece.line.intercept, 0);
    EXPECT_GE(piece.line.slope, 0);
  }
}

TEST(Piecewise, TheLongestMessagesAreNoOutliers) {
  // Short ones pass a link's burst at once; only the last three of sixteen see its rate.
  std::vector<FitPoint> points;
  for (double x = 64; x < 3e6; x *= 2) {
    points.push_back({x, 1e-4 + x / 1e9 + (x > 3e5 ? x / 25e6 : 0)});
  }
  ASSERT_EQ(points.size(), 16U);
  const std::vector<FitPiece> pieces = fit_pieces(points);
  const FitPoint& longest = points.back();
  EXPECT_NEAR(pieces.back().line.at(longest.x), longest.y, 0.3 * longest.y);
}

TEST(Piecewise, FewPoints) {
  EXPECT_TRUE(fit_pieces({}).empty());
  const std::vector<FitPoint> one = {{8, 2}};
  ASSERT_EQ(fit_pieces(one).size(), 1U);
  EXPECT_DOUBLE_EQ(fit_pieces(one)[0].line.at(8), 2);
  const std::vector<FitPoint> three = {{1, 3}, {2, 5}, {3, 7}};
  ASSERT_EQ(fit_pieces(three).size(), 1U);
  EXPECT_NEAR(fit_pieces(three)[0].line.slope, 2, 1e-9);
}

TEST(Piecewise, TheScaleIsThatOfTheNoise) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<FitPoint> points;
  for (int i = 1; i <= 400; ++i) points.push_back({double(i), 100.0 * std::exp(noise(random))});
  EXPECT_NEAR(residual_scale(points), 0.12, 0.04);
  EXPECT_DOUBLE_EQ(residual_scale(points_of(two_regimes)), 0.01);
}

}  // namespace piecewise_test
}  // namespace oracle
