#pragma once
// On what are the laws tried?
//
// On the triples (graph; cluster and profile; strategy and training) of the seeds 0 … kCases - 1,
// and of those of texts, kTextCases from kFirstText on. At least kLeastFitting of the first fit,
// and kLeastFittingTexts of texts, so that no law holds for want of cases. A failure prints the
// seed and the triple in a line; random_case(seed) makes it again.
//                                                            tests/properties/random_cases_test.cpp

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "oracle/evaluate/evaluation.h"
#include "tests/properties/random_graph.h"
#include "tests/properties/random_machine.h"
#include "tests/properties/random_strategy.h"
#include "tests/properties/random_text.h"

namespace oracle {

inline constexpr std::uint64_t kCases = 1500;
inline constexpr int kLeastFitting = 700;
inline constexpr std::uint64_t kFirstText = 1'000'000, kTextCases = 700;
inline constexpr int kLeastFittingTexts = 250;

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

/// Calls `check(case)` on every case until one fails.
template <typename Check>
void on_every_case(Check check) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const Case drawn = random_case(seed);
    SCOPED_TRACE(to_text(drawn));
    check(drawn);
    if (testing::Test::HasFailure()) return;
  }
}

/// The same on every case of a text.
template <typename Check>
void on_every_text(Check check) {
  for (std::uint64_t seed = kFirstText; seed < kFirstText + kTextCases; ++seed) {
    const Case drawn = random_case(seed);
    SCOPED_TRACE(to_text(drawn));
    check(drawn);
    if (testing::Test::HasFailure()) return;
  }
}

/// Calls `check(case, evaluation)`, with all details, on every case that fits, until one fails.
template <typename Check>
void on_every_fitting_case(Check check) {
  int fitting = 0;
  on_every_case([&](const Case& drawn) {
    const Evaluation evaluation = evaluate(drawn, Detail::events);
    if (evaluation.fits() == nullptr) return;
    ++fitting;
    check(drawn, evaluation);
  });
  if (!testing::Test::HasFailure()) {
    EXPECT_GE(fitting, kLeastFitting);
  }
}

/// The same on every case of a text that fits.
template <typename Check>
void on_every_fitting_text(Check check) {
  int fitting = 0;
  on_every_text([&](const Case& drawn) {
    const Evaluation evaluation = evaluate(drawn, Detail::events);
    if (evaluation.fits() == nullptr) return;
    ++fitting;
    check(drawn, evaluation);
  });
  if (!testing::Test::HasFailure()) {
    EXPECT_GE(fitting, kLeastFittingTexts);
  }
}

/// The same on images and texts alike.
template <typename Check>
void on_every_case_and_text(Check check) {
  on_every_case(check);
  if (!testing::Test::HasFailure()) on_every_text(check);
}
template <typename Check>
void on_every_fitting_case_and_text(Check check) {
  on_every_fitting_case(check);
  if (!testing::Test::HasFailure()) on_every_fitting_text(check);
}

}  // namespace oracle
