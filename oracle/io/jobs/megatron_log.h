#pragma once
// Which arguments and measurements are there in a log of Megatron-LM?     io/jobs/job.h

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/units.h"

namespace oracle::megatron {

/// One line of a step.
struct LoggedStep {
  Seconds time;
  std::int64_t batch = 0;  ///< 0: not said
};

struct Log {
  std::string name;
  std::map<std::string, std::string, std::less<>> arguments;
  std::int64_t padded_vocabulary = 0;  ///< 0: not said
  std::vector<LoggedStep> steps;
  Bytes allocated, reserved;  ///< the most of any rank
};

/// In [1, most] without a sign; nothing where the text is anything else.
std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t most);

Log parse_log(std::string_view text, std::string name);

/// Arguments by name. Collects problems, each at "file: argument".
class JobArguments {
 public:
  explicit JobArguments(const Log& log) : log_(log) {}

  /// Empty where it is not there, or None.
  std::string_view text(std::string_view name) const;
  bool says(std::string_view name) const { return !text(name).empty(); }
  bool flag(std::string_view name) const { return text(name) == "True"; }
  /// Megatron-DeepSpeed writes [1] where there are none.
  bool has_experts() const { return says("num_experts") && text("num_experts") != "[1]"; }
  /// In [1, most]; one that is missing is a problem.
  std::int64_t count(std::string_view name, std::int64_t most);
  std::int64_t count_or(std::string_view name, std::int64_t most, std::int64_t fallback);

  void problem(std::string_view name, std::string message, std::string remedy = {});
  /// Throws InputError where there are any.
  void raise() const;

 private:
  const Log& log_;
  std::vector<Problem> problems_;
};

}  // namespace oracle::megatron
