#pragma once
// A recording made kernel by kernel, in milliseconds.

#include <algorithm>
#include <string>

#include "oracle/record/trace.h"

namespace oracle {

inline constexpr std::int64_t kMillisecond = 1'000'000;  ///< [ns]

/// Adds operations by their begin.
class MadeTrace {
 public:
  MadeTrace& kernel(const std::string& name, double begin, double end) {
    return add(TracedKind::kernel, name, begin, end, begin);
  }
  MadeTrace& copy(double begin, double end) {
    return add(TracedKind::copy, "Memcpy HtoD", begin, end, begin);
  }
  MadeTrace& launched(const std::string& name, double at, double begin, double end) {
    return add(TracedKind::kernel, name, begin, end, at);
  }
  MadeTrace& step(double begin, double end) {
    trace.steps.push_back({nanoseconds(begin), nanoseconds(end)});
    return *this;
  }
  MadeTrace& update(double begin, double end) {
    trace.updates.push_back({nanoseconds(begin), nanoseconds(end)});
    return *this;
  }

  Trace trace;

 private:
  static std::int64_t nanoseconds(double milliseconds) {
    return static_cast<std::int64_t>(milliseconds * static_cast<double>(kMillisecond));
  }

  MadeTrace& add(TracedKind kind, const std::string& name, double begin, double end, double at) {
    const auto known = std::find(trace.names.begin(), trace.names.end(), name);
    TracedOperation operation;
    operation.name = static_cast<std::uint32_t>(known - trace.names.begin());
    if (known == trace.names.end()) trace.names.push_back(name);
    operation.time = {nanoseconds(begin), nanoseconds(end)};
    operation.launched = nanoseconds(at);
    operation.kind = kind;
    trace.operations.push_back(operation);
    return *this;
  }
};

}  // namespace oracle
