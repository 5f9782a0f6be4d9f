#pragma once
// Which kernels of a plan does a profile not know, or only from shapes that all differ one way?
//                                                           tests/evaluate/unmeasured_test.cpp

#include <string>
#include <vector>

#include "oracle/evaluate/evaluation.h"

namespace oracle {

/// A sentence for kernels outside of the shapes measured, and one for those of families that were
/// not measured; none where the profile holds no kernels at all.
std::vector<std::string> unmeasured_lines(const Setting& setting, const Plan& plan);

}  // namespace oracle
