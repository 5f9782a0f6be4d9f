#include "microbench/kernels/cpu/arrays.h"

#include <cmath>

#include "microbench/elements/vectorized.h"

namespace oracle {

ORACLE_VECTORIZED void add_to(float* sum, const float* term, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += term[i];
}

ORACLE_VECTORIZED void add(float* to, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

ORACLE_VECTORIZED void multiply(float* to, const float* a, const float* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = a[i] * b[i];
}

ORACLE_VECTORIZED void momentum_step(float* __restrict weights, float* __restrict momentum,
                                     const float* __restrict gradient, float rate, float decay,
                                     std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float moved = decay * momentum[i] + gradient[i];
    momentum[i] = moved;
    weights[i] -= rate * moved;
  }
}

ORACLE_VECTORIZED void descent_step(float* __restrict weights, const float* __restrict gradient,
                                    float rate, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) weights[i] -= rate * gradient[i];
}

ORACLE_VECTORIZED void adam_step(float* __restrict weights, float* __restrict first,
                                 float* __restrict second, const float* __restrict gradient,
                                 const AdamStep& step, std::int64_t count) {
  const AdamStep s = step;
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i];
    const float m = s.first_decay * first[i] + s.first_weight * g;
    const float v = s.second_decay * second[i] + s.second_weight * g * g;
    first[i] = m;
    second[i] = v;
    weights[i] -= s.rate * m / (std::sqrt(v * s.second_scale) + s.epsilon);
  }
}

}  // namespace oracle
