#pragma once
// Softmax of rows and of columns of plain memory: exp x[i] / Σ_j exp x[j], from the largest down so
// that nothing overflows.
//
// Worked: of 0 and ln 3 the shares are 1/4 and 3/4 tests/microbench/kernels/cpu/shares_test.cpp

#include <cstdint>

namespace oracle {

/// `count` values along the summed axis, `inner` of them side by side.
struct ShareAxis {
  std::int64_t count = 0;
  std::int64_t inner = 1;
};

/// y may be x.
void to_shares(const float* x, float* y, ShareAxis axis);
/// dx[i] = y[i]·(dy[i] − Σ_j dy[j]·y[j]); dx may be dy.
void through_shares(const float* y, const float* dy, float* dx, ShareAxis axis);

}  // namespace oracle
