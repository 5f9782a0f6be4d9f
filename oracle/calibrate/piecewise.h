#pragma once
// Which straight lines, over which ranges, go through measured times?
//
// Points (x, y), y > 0. A piece is y = intercept + slope·x over a run of points, both coefficients
// ≥ 0, fitted to relative residuals r = (intercept + slope·x - y)/y: least absolute ones first,
// then Tukey's biweight (Beaton & Tukey, Technometrics 16(2), 1974) at scale s, in which a residual
// past 4.685 s counts for nothing, but neighbours that are off to the same side count as four: they
// are rather another law. The break points minimize
//
//   Σ_pieces ( Σ ρ(r/s) + 3·ln N )                ρ(u) ≤ 4.685²/6 = 3.66
//
// exactly, by dynamic programming over the end of the last piece (Bellman, CACM 4(6), 1961); the
// penalty is BIC's for three parameters a piece, doubled (Schwarz, Annals of Statistics 6(2),
// 1978). The scale is what neighbours foretell of a point: s = 1.4826·median |r| of each point
// against a line through the two on either side, at least 1 %.
//
// Worked: 10 us + x/1 GB/s up to 64 kB and 50 us + x/4 GB/s from 128 kB give those two pieces, with
// two of 27 points ten times too high or not         tests/calibrate/piecewise_test.cpp

#include <cstddef>
#include <span>
#include <vector>

namespace oracle {

struct FitPoint {
  double x = 0, y = 1;
};

struct FitLine {
  double intercept = 0, slope = 0;
  double at(double x) const { return intercept + slope * x; }
};

struct FitPiece {
  std::size_t first = 0, last = 0;  ///< points [first, last)
  FitLine line;
};

/// The line through all points; `scale` is that of relative residuals. Requires a point.
FitLine fit_line(std::span<const FitPoint> points, double scale);

/// How far, relatively, a point lies from what its neighbours foretell.
double residual_scale(std::span<const FitPoint> points);

/// Points ascending in x, each x once. None of none.
std::vector<FitPiece> fit_pieces(std::span<const FitPoint> points);

/// The line whose piece holds `x`: a piece reaches up to the first point of the next.
FitLine line_at(std::span<const FitPiece> pieces, std::span<const FitPoint> points, double x);

}  // namespace oracle
