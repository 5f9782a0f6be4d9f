#pragma once
// On what are the laws tried?
//
// On the triples (graph; cluster and profile; strategy and training) of some seeds: networks of
// images, then transformers of texts. Enough of each fit, so that no law holds for want of cases. A
// failure prints the seed and the triple in a line; random_case(seed) makes it again.
//                                                            tests/properties/random_cases_test.cpp

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "oracle/evaluate/evaluation.h"
#include "tests/properties/random_graph.h"
#include "tests/properties/random_machine.h"
#include "tests/properties/random_strategy.h"
#include "tests/properties/random_text.h"
#include "tests/properties/stride.h"

namespace oracle {

/// The seeds of networks of one sort, and how many cases fit at least.
struct Networks {
  std::uint64_t first_seed, count;
  int least_fitting;
};
inline constexpr Networks kImages{0, 1500, 700};
inline constexpr Networks kTexts{1'000'000, 1000, 350};
/// Of both.
inline constexpr int kLeastFitting = kImages.least_fitting + kTexts.least_fitting;

struct Case {
  std::uint64_t seed = 0;
  Graph graph;
  Cluster cluster;
  Profile profile;
  Strategy strategy;
  Training training;
};

Case random_case(std::uint64_t seed);

/// "seed 17: data:2; overlap=off, batch 32 fp16 adam, 21 layers, units 4x2, 1 ranks per device"
std::string to_text(const Case& drawn);

inline Evaluation evaluate(const Case& drawn, Detail detail = Detail::totals) {
  return evaluate(drawn.graph, drawn.cluster, drawn.profile, drawn.strategy, drawn.training,
                  detail);
}

/// The plan of an evaluation with Detail::events that fits.
inline const Plan& plan_of(const Evaluation& evaluation) { return *evaluation.plan; }

/// Calls `check(case)` on every case of such networks until one fails.
template <typename Check>
void on_every_case_of(const Networks& networks, Check check) {
  for (std::uint64_t i = 0; i < networks.count && !testing::Test::HasFailure(); i += kStride) {
    const Case drawn = random_case(networks.first_seed + i);
    SCOPED_TRACE(to_text(drawn));
    check(drawn);
  }
}

/// Calls `check(case, evaluation)`, with all details, on those that fit.
template <typename Check>
void on_every_fitting_case_of(const Networks& networks, Check check) {
  int fitting = 0;
  on_every_case_of(networks, [&](const Case& drawn) {
    const Evaluation evaluation = evaluate(drawn, Detail::events);
    if (evaluation.fits() == nullptr) return;
    ++fitting;
    check(drawn, evaluation);
  });
  if (!testing::Test::HasFailure()) {
    EXPECT_GE(fitting, enough(networks.least_fitting));
  }
}

/// The same on all networks.
template <typename Check>
void on_every_case(Check check) {
  on_every_case_of(kImages, check);
  on_every_case_of(kTexts, check);
}
template <typename Check>
void on_every_fitting_case(Check check) {
  on_every_fitting_case_of(kImages, check);
  on_every_fitting_case_of(kTexts, check);
}

}  // namespace oracle
