#pragma once
// What of a comparison is asked for, and what is its answer?
//                                                       tests/validate/command/program_test.cpp

#include "oracle/cli/arguments.h"
#include "oracle/cli/command.h"
#include "validate/compare/comparison_report.h"

namespace oracle {

struct View {
  ByItem by = ByItem::none;
  std::int64_t warm_up = 1;
};

/// --by and --warmup. Throws InputError with every problem.
View read_view(const cli::Arguments& arguments);

/// "No" where a promise was broken.
cli::Answer answer_of(const Prediction& prediction, const Measurement& run, const View& view);

}  // namespace oracle
