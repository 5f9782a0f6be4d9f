#pragma once
// How right were such answers on published runs?
//
// One sentence for the end of an answer whose kernels no one measured; nothing where they were, or
// where nothing fits.
//
// Worked: "of 20 published runs like it (one device, volta, fp32) half were predicted within 7 %,
// and 95 % lay in their intervals" tests/cli/accuracy_line_test.cpp

#include <string>

#include "oracle/evaluate/evaluation.h"

namespace oracle::cli {

std::string accuracy_line(const Evaluation& evaluation, const Cluster& cluster,
                          const Profile& profile);

}  // namespace oracle::cli
