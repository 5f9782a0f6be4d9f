#pragma once
// How unequal are the rows that experts get?
//
// What a router sends is a distribution over experts. It is even, given, or Zipf's law, by which
// the expert of rank r among n gets
//
//   p(r) = r^-s / H(n, s),   H(n, s) = Σ_{i=1..n} i^-s
//
// of all rows. Experts that lie on one rank are neighbours. Those of Zipf are in the order of their
// rows, so that the busiest group of n/g experts has the most that it can have,
//
//   H(n/g, s) / H(n, s)
//
// The all-to-all, the experts and the all-to-all back wait for the rank with most, so that one
// decides. No expert has more rows than there are tokens.
//
// Worked: zipf:1 of 8 experts on 4 ranks: H(2, 1) / H(8, 1) = 1.5 / 2.717857 = 0.5519 of all rows,
// 2.208 times the mean                              tests/plan/strategy/expert_load_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

/// Of `expert_load=`: "uniform", "1.3", "zipf:1", "4,2,1,1".
struct ExpertLoad {
  double busiest = 1;          ///< of the rank with most, in terms of the mean
  double zipf = 0;             ///< exponent s
  std::vector<double> each{};  ///< expert by expert, in any unit; empty: one of the two above

  bool is_even() const { return busiest == 1 && zipf == 0 && each.empty(); }
  bool operator==(const ExpertLoad&) const = default;
};

/// Throws InputError (place "--strategy").
ExpertLoad parse_expert_load(std::string_view text);
/// As it is read back; empty of an even one.
std::string to_text(const ExpertLoad& load);

/// The part of all rows that the busiest of `groups` equal groups of neighbours has, where each
/// token goes to `per_token` of the experts. Throws InputError where loads are given of another
/// number of experts.
double busiest_share(const ExpertLoad& load, std::int64_t experts, std::int64_t groups,
                     std::int64_t per_token);

}  // namespace oracle
