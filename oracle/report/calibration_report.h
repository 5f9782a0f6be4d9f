#pragma once
// What did a calibration find, and how far can it be trusted?
//                                                    tests/report/calibration_report_test.cpp

#include <map>
#include <string>
#include <vector>

#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// What of a calibration is shown.
struct CalibrationView {
  const Cluster& cluster;
  const Profile& profile;
  std::vector<std::pair<std::string, std::string>> measured;
  std::vector<std::string> notes;  ///< what was left out, and why
  std::string file;                ///< where the profile is
  /// A fit whose left-out errors are over this in the median is called bad.
  double bad_error = 0.25;
  std::string unreached{};  ///< stands first: what the time did not suffice for
};

Document calibration_report(const CalibrationView& view);

}  // namespace oracle::report
