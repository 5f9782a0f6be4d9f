#pragma once
// Which printed figures were compared, and which were left out, and why?
//
// ParaDL printed seven digits. Two figures are alike where they differ by at most half a unit of
// the seventh, and `slack` of the value for what is derived from inputs that are rounded
// themselves.

#include <map>
#include <string>

#include "oracle/base/units.h"
#include "tests/conformance/paradl.h"

namespace oracle::paradl {

/// Slack for sums of layers' compute, each of which ParaDL gives in seven digits.
inline constexpr double kRoundedInputs = 5e-8;

/// Worked: 0.0132953888 is alike 0.01329539 and unlike 0.01329538           ledger_test.cpp
bool alike(double value, double printed, double slack = 0);

class Ledger {
 public:
  /// Expects ours to be what the case printed as `metric`; nothing where it printed no such figure.
  void compare(const Case& printed, const std::string& metric, Seconds ours, double slack = 0);

  /// The totals: both parts of an iteration, their sum, and an epoch of as many iterations.
  void compare_step(const Case& printed, Seconds compute, Seconds communication, double slack = 0);

  /// The rest of the case's figures, but its memory, is left out for `reason`.
  void leave_rest(const Case& printed, const std::string& reason);

  int compared() const { return compared_; }
  int left_out(const std::string& reason) const;

  /// Expects every figure of `strategy` to be accounted for, and says how.
  void close(std::string_view strategy);

 private:
  std::map<std::string, int> seen_;  ///< figures compared, by case
  std::map<std::string, int> left_out_;
  int compared_ = 0;
};

/// Memory is no transfer: ParaDL leaves out optimizer state and workspace, and divides |w| by p
/// twice.
inline const std::string kMemory = "memory is the footprint's, which counts other things";

}  // namespace oracle::paradl
