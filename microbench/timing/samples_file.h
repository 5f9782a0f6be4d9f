#pragma once
// What does a file of samples look like, whoever measured?
//                                                  tests/microbench/timing/samples_file_test.cpp

#include <span>
#include <string>
#include <vector>

#include "microbench/timing/context.h"

namespace oracle {

/// A member of the file: a list of JSON texts, one for each sample.
struct SamplesPart {
  std::string name;
  std::vector<std::string> rows;
};

/// Schema, context and parts in this order, a line for each sample (data/schema). What is no UTF-8
/// is replaced.
std::string samples_text(const MeasuringContext& context, std::span<const SamplesPart> parts);

}  // namespace oracle
