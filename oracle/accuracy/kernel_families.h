#pragma once
// What do kernels of a family achieve on two machines, over the same shapes?
//
//   rate = Σ operations / Σ time of contractions, Σ bytes touched / Σ time of what streams
//
// The shapes are those measured in either profile that the other knows as well: measured, or told
// by a fit from shapes around it. A family of which they share none has no row.
//
// Worked: two products of 1 MFLOP in 10 us and 30 us: 50 GFLOP/s
//                                                       tests/accuracy/kernel_families_test.cpp

#include <cstddef>
#include <vector>

#include "oracle/accuracy/profile_parameters.h"
#include "oracle/cluster/profile.h"

namespace oracle {

struct FamilyRates {
  ParameterKey key;
  ParameterValue first, second;
  std::size_t shapes = 0;
};

/// By family, pass and number format.
std::vector<FamilyRates> family_rates(const Profile& first, const Profile& second);

}  // namespace oracle
