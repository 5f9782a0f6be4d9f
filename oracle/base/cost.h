#pragma once
// How long does it take, who says so, and how sure are we?
//
// A price is never a bare number: it carries the kind of evidence behind it and a relative
// half-width of its 90 % interval. Prices of one kind of evidence err together (the same data
// sheet), so their errors add linearly; different kinds are independent, so they add by
// root-sum-square. Kernels told by one fit err mostly each for itself, and in a part ρ together:
//
//   σ² = Σ_kind (Σ_{i of kind} u_i·t_i)² + Σ_fit [ ρ·(Σ_{i of fit} u_i·t_i)²
//                                                  + (1 - ρ)·Σ_{i of fit} (u_i·t_i)² ]
//
// With ρ = 0.2 nine in ten steps lay inside, 113 of 126: of six networks cut in seven ways, each on
// one or two ranks, calibrated and trained three times within a morning. With 0.1 it were 107.
//
// Worked: 3 ms ± 10 % and 1 ms ± 20 %, both assumed → 4 ms ± 12.5 %; 3 ms ± 10 % measured and
// 4 ms ± 10 % assumed, or interpolated by two fits → 7 ms ± 7.14 %; by one → 7 ms ± 7.80 %
//                                                                       tests/base/cost_test.cpp

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "oracle/base/units.h"

namespace oracle {

/// Kinds of evidence, best first.
enum class Source : std::uint8_t { measured, fitted, interpolated, datasheet, assumed };
inline constexpr std::size_t kSourceCount = 5;

std::string_view name_of(Source source);

/// A price: seconds, with the weakest evidence it rests on and the relative half-width of its 90 %
/// interval.
struct Cost {
  Seconds time;
  Source source = Source::assumed;
  double uncertainty = 0;
  std::uint8_t fit = 0;  ///< of kernels, counted from 1; 0: of none

  bool operator==(const Cost&) const = default;
};

/// The number that a price from fit `index` of a profile bears. Past the last, fits share numbers,
/// and are taken to err as one.
inline constexpr std::size_t kFitNumbers = 48;
constexpr std::uint8_t fit_number(std::size_t index) {
  return static_cast<std::uint8_t>(index % kFitNumbers + 1);
}

/// The same price `count` times over, erring together.
inline Cost operator*(const Cost& cost, double count) {
  return {cost.time * count, cost.source, cost.uncertainty, cost.fit};
}

/// Sums prices, keeping apart what each origin contributes.
class CostSum {
 public:
  void add(const Cost& cost) {
    const auto s = static_cast<std::size_t>(cost.source);
    time_[s] += cost.time;
    const Seconds error = cost.time * cost.uncertainty;
    if (cost.fit == 0) {
      error_[s] += error;
      return;
    }
    FitError& fit = fits_[cost.fit - 1U];
    fit.together += error;
    fit.squares += error.value * error.value;
  }
  void add(const CostSum& other);

  /// Time that rests on `source`.
  Seconds time_of(Source source) const { return time_[static_cast<std::size_t>(source)]; }

  /// The whole: its source is the weakest that contributes.
  Cost total() const;

 private:
  /// Of all kernels that a fit told.
  struct FitError {
    Seconds together;    ///< Σ u·t
    double squares = 0;  ///< Σ (u·t)², seconds²
  };

  std::array<Seconds, kSourceCount> time_{}, error_{};  ///< by kind of evidence; error_: of no fit
  std::array<FitError, kFitNumbers> fits_{};
};

}  // namespace oracle
