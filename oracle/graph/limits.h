#pragma once
// How large may a tensor be before a number stops being exact?
//
// Counts end up in doubles (FLOPs, bytes), which hold integers up to 2^53 exactly; every extent,
// tensor and parameter count of a graph stays below that, so no later product of two of them is
// ever formed in integers.
//
// Worked: 2^26 · 2^26 = 2^52 is allowed, 2^27 · 2^26 is refused         tests/graph/limits_test.cpp

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace oracle {

inline constexpr std::int64_t kMostElements = (std::int64_t{1} << 53) - 1;

/// The product of `factors`, none of them negative. Throws InputError (empty place) naming `what`
/// where it exceeds kMostElements.
std::int64_t bounded_product(std::initializer_list<std::int64_t> factors, std::string_view what);

}  // namespace oracle
