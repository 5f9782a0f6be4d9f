#pragma once
// In what do two profiles differ, figure by figure?
//                                                tests/report/profile_comparison_report_test.cpp

#include <string>

#include "oracle/accuracy/profile_comparison.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// The names of the two files.
struct ComparedFiles {
  std::string baseline, contender;
};

/// Figures are listed largest distance first, those of one side alone last; a table leaves out what
/// is equal, and shows no more than `most_shown`.
Document profile_comparison_report(const ProfileComparison& comparison, const ComparedFiles& files,
                                   std::size_t most_shown = 30);

}  // namespace oracle::report
