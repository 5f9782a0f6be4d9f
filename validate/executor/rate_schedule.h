#pragma once
// What is the learning rate of a step?
//
// It rises in equal parts until a step is the first at the whole rate, so that a large one does not
// meet weights that have not learned anything yet (Goyal et al., arXiv 1706.02677, section 2.2,
// whose warm-up starts from the rate of one worker; this one from nothing):
//
//   rate(n) = rate · min(1, n/warm_up)     n = 1, 2, …
//
// Worked: rate 0.8, 4 steps to warm up: 0.2, 0.4, 0.6, 0.8, 0.8, …
//                                                  tests/validate/executor/rate_schedule_test.cpp

#include <cstdint>

namespace oracle {

/// `warm_up` 0: the whole rate from the first step on.
double rate_at(double rate, std::int64_t warm_up, std::int64_t step);

}  // namespace oracle
