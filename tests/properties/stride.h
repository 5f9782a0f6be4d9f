#pragma once
// How many of the random cases does a build try? Sanitizers, under which each takes ten times as
// long, want each line and not each case.

#include <cstdint>

namespace oracle {

/// One in so many.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORACLE_SANITIZED
#endif
#endif
#ifdef ORACLE_SANITIZED
inline constexpr std::uint64_t kStride = 8;
#else
inline constexpr std::uint64_t kStride = 1;
#endif
/// Of what all cases count at least, what these do; of a few, half as many, as they vary.
constexpr std::int64_t enough(std::int64_t count) {
  return kStride == 1 ? count : count / static_cast<std::int64_t>(2 * kStride);
}

}  // namespace oracle
