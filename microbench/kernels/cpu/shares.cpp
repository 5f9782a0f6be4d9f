#include "microbench/kernels/cpu/shares.h"

#include <algorithm>
#include <limits>

#include "microbench/elements/vectorized.h"
#include "microbench/kernels/cpu/exponential.h"

namespace oracle {
namespace {

/// Values of a row that are summed side by side.
constexpr std::int64_t kLanes = 16;
/// Columns whose sums are under way at once; with what they sum they fit in the first cache.
constexpr std::int64_t kColumns = 128;
constexpr float kLowest = -std::numeric_limits<float>::infinity();

ORACLE_VECTORIZED float largest_of(const float* x, std::int64_t count) {
  float lanes[kLanes];
  for (float& lane : lanes) lane = kLowest;
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = lanes[lane] < x[i + lane] ? x[i + lane] : lanes[lane];
    }
  }
  float largest = kLowest;
  for (const float lane : lanes) largest = std::max(largest, lane);
  for (std::int64_t i = whole; i < count; ++i) largest = std::max(largest, x[i]);
  return largest;
}

/// Writes the exponentials and returns their sum.
ORACLE_VECTORIZED float exponentials(const float* x, float largest, float* y, std::int64_t count) {
  float lanes[kLanes] = {};
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = exponential(x[i + lane] - largest);
      y[i + lane] = value;
      lanes[lane] += value;
    }
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (std::int64_t i = whole; i < count; ++i) sum += y[i] = exponential(x[i] - largest);
  return sum;
}

ORACLE_VECTORIZED void scale(float* y, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] *= factor;
}

ORACLE_VECTORIZED float product_sum(const float* a, const float* b, std::int64_t count) {
  float lanes[kLanes] = {};
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (std::int64_t i = whole; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

ORACLE_VECTORIZED void centre(const float* y, const float* dy, float* dx, float sum,
                              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dx[i] = y[i] * (dy[i] - sum);
}

/// The same for `width` columns, up to kColumns, whose values lie `inner` apart.
ORACLE_VECTORIZED void share_columns(const float* x, float* y, ShareAxis axis, std::int64_t width) {
  float largest[kColumns], sum[kColumns];
  for (std::int64_t i = 0; i < width; ++i) largest[i] = x[i];
  for (std::int64_t c = 1; c < axis.count; ++c) {
    const float* row = x + c * axis.inner;
    for (std::int64_t i = 0; i < width; ++i) largest[i] = largest[i] < row[i] ? row[i] : largest[i];
  }
  for (std::int64_t i = 0; i < width; ++i) sum[i] = 0;
  for (std::int64_t c = 0; c < axis.count; ++c) {
    const float* row = x + c * axis.inner;
    float* out = y + c * axis.inner;
    for (std::int64_t i = 0; i < width; ++i) {
      const float value = exponential(row[i] - largest[i]);
      out[i] = value;
      sum[i] += value;
    }
  }
  for (std::int64_t i = 0; i < width; ++i) sum[i] = 1 / sum[i];
  for (std::int64_t c = 0; c < axis.count; ++c) {
    float* out = y + c * axis.inner;
    for (std::int64_t i = 0; i < width; ++i) out[i] *= sum[i];
  }
}

ORACLE_VECTORIZED void centre_columns(const float* y, const float* dy, float* dx, ShareAxis axis,
                                      std::int64_t width) {
  float sum[kColumns] = {};
  for (std::int64_t c = 0; c < axis.count; ++c) {
    const float* share = y + c * axis.inner;
    const float* gradient = dy + c * axis.inner;
    for (std::int64_t i = 0; i < width; ++i) sum[i] += share[i] * gradient[i];
  }
  for (std::int64_t c = 0; c < axis.count; ++c) {
    const float* share = y + c * axis.inner;
    const float* gradient = dy + c * axis.inner;
    float* out = dx + c * axis.inner;
    for (std::int64_t i = 0; i < width; ++i) out[i] = share[i] * (gradient[i] - sum[i]);
  }
}

}  // namespace

void to_shares(const float* x, float* y, ShareAxis axis) {
  if (axis.inner == 1) {
    const float sum = exponentials(x, largest_of(x, axis.count), y, axis.count);
    return scale(y, 1 / sum, axis.count);
  }
  for (std::int64_t at = 0; at < axis.inner; at += kColumns) {
    share_columns(x + at, y + at, axis, std::min(kColumns, axis.inner - at));
  }
}

void through_shares(const float* y, const float* dy, float* dx, ShareAxis axis) {
  if (axis.inner == 1) {
    return centre(y, dy, dx, product_sum(y, dy, axis.count), axis.count);
  }
  for (std::int64_t at = 0; at < axis.inner; at += kColumns) {
    centre_columns(y + at, dy + at, dx + at, axis, std::min(kColumns, axis.inner - at));
  }
}

}  // namespace oracle
