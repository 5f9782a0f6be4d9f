#pragma once
// How long does it take, who says so, and how sure are we?
//
// A price is never a bare number: it carries the kind of evidence behind it and a relative
// half-width of its 90 % interval. Prices of one kind of evidence err together (the same fit, the
// same data sheet), so their errors add linearly; different kinds are independent, so they add by
// root-sum-square:
//
//   σ² = Σ_source (Σ_{i of source} u_i·t_i)²
//
// Worked: 3 ms ± 10 % and 1 ms ± 20 %, both assumed → 4 ms ± 12.5 %; 3 ms ± 10 % measured and
// 4 ms ± 10 % assumed → 7 ms ± 7.14 %                                   tests/base/cost_test.cpp

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

  bool operator==(const Cost&) const = default;
};

/// The same price `count` times over, erring together.
inline Cost operator*(const Cost& cost, double count) {
  return {cost.time * count, cost.source, cost.uncertainty};
}

/// Sums prices, keeping apart what each kind of evidence contributes.
class CostSum {
 public:
  void add(const Cost& cost) {
    const auto s = static_cast<std::size_t>(cost.source);
    time_[s] += cost.time;
    error_[s] += cost.time * cost.uncertainty;
  }
  void add(const CostSum& other);

  /// Time that rests on `source`.
  Seconds time_of(Source source) const { return time_[static_cast<std::size_t>(source)]; }

  /// The whole: its source is the weakest that contributes.
  Cost total() const;

 private:
  std::array<Seconds, kSourceCount> time_{};
  std::array<Seconds, kSourceCount> error_{};
};

}  // namespace oracle
