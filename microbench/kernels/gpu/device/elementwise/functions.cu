// Activation functions and their derivatives: one struct each, since the function is chosen once
// for a launch and not for every value. `slope` gets the output where the derivative follows from
// it, else the input (oracle/graph/kinds/activation.cpp says which).

#include "microbench/kernels/gpu/device/runtime/lanes.h"

namespace oracle::gpu {
namespace {

/// PyTorch's slope below zero; a layer keeps none.
constexpr float kLeakySlope = 0.01F;
constexpr float kRootHalf = 0.70710678F;
/// 1/√(2π)
constexpr float kDensity = 0.39894228F;

ORACLE_DEVICE float logistic(float x) { return 1 / (1 + expf(-x)); }
/// log(1 + eˣ) without overflow.
ORACLE_DEVICE float soft(float x) { return x > 20 ? x : log1pf(expf(x)); }

struct Relu {
  static ORACLE_DEVICE float of(float x) { return x > 0 ? x : 0; }
  static ORACLE_DEVICE float slope(float y) { return y > 0 ? 1 : 0; }
};
struct Relu6 {
  static ORACLE_DEVICE float of(float x) { return x > 6 ? 6 : x > 0 ? x : 0; }
  static ORACLE_DEVICE float slope(float y) { return y > 0 && y < 6 ? 1 : 0; }
};
struct SquaredRelu {
  static ORACLE_DEVICE float of(float x) { return x > 0 ? x * x : 0; }
  static ORACLE_DEVICE float slope(float x) { return x > 0 ? 2 * x : 0; }
};
struct LeakyRelu {
  static ORACLE_DEVICE float of(float x) { return x > 0 ? x : kLeakySlope * x; }
  static ORACLE_DEVICE float slope(float y) { return y > 0 ? 1 : kLeakySlope; }
};
struct Sigmoid {
  static ORACLE_DEVICE float of(float x) { return logistic(x); }
  static ORACLE_DEVICE float slope(float y) { return y * (1 - y); }
};
struct Tanh {
  static ORACLE_DEVICE float of(float x) { return tanhf(x); }
  static ORACLE_DEVICE float slope(float y) { return 1 - y * y; }
};
struct Silu {
  static ORACLE_DEVICE float of(float x) { return x * logistic(x); }
  static ORACLE_DEVICE float slope(float x) {
    const float s = logistic(x);
    return s * (1 + x * (1 - s));
  }
};
struct HardSwish {
  static ORACLE_DEVICE float of(float x) { return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6; }
  static ORACLE_DEVICE float slope(float x) { return x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6; }
};
struct HardSigmoid {
  static ORACLE_DEVICE float of(float x) {
    const float y = x / 6 + 0.5F;
    return y < 0 ? 0 : y > 1 ? 1 : y;
  }
  static ORACLE_DEVICE float slope(float x) { return x > -3 && x < 3 ? 1.0F / 6 : 0; }
};
struct Gelu {
  static ORACLE_DEVICE float of(float x) { return 0.5F * x * (1 + erff(x * kRootHalf)); }
  static ORACLE_DEVICE float slope(float x) {
    return 0.5F * (1 + erff(x * kRootHalf)) + x * kDensity * expf(-0.5F * x * x);
  }
};
struct Elu {
  static ORACLE_DEVICE float of(float x) { return x > 0 ? x : expm1f(x); }
  static ORACLE_DEVICE float slope(float y) { return y > 0 ? 1 : y + 1; }
};
struct Softplus {
  static ORACLE_DEVICE float of(float x) { return soft(x); }
  static ORACLE_DEVICE float slope(float x) { return logistic(x); }
};
struct Mish {
  static ORACLE_DEVICE float of(float x) { return x * tanhf(soft(x)); }
  static ORACLE_DEVICE float slope(float x) {
    const float t = tanhf(soft(x));
    return t + x * (1 - t * t) * logistic(x);
  }
};
struct Exponential {
  static ORACLE_DEVICE float of(float x) { return expf(x); }
  static ORACLE_DEVICE float slope(float y) { return y; }
};
struct Logarithm {
  static ORACLE_DEVICE float of(float x) { return logf(x); }
  static ORACLE_DEVICE float slope(float x) { return 1 / x; }
};
struct Root {
  static ORACLE_DEVICE float of(float x) { return sqrtf(x); }
  static ORACLE_DEVICE float slope(float y) { return 0.5F / y; }
};
struct Absolute {
  static ORACLE_DEVICE float of(float x) { return fabsf(x); }
  static ORACLE_DEVICE float slope(float x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
};
/// An exporter's exponent; a layer keeps none.
struct Square {
  static ORACLE_DEVICE float of(float x) { return x * x; }
  static ORACLE_DEVICE float slope(float x) { return 2 * x; }
};

template <class F>
struct Forward {
  template <class T>
  static void run(Stream stream, const T* x, const T*, T* y, std::int64_t count) {
    for_values<T>(stream, count, packed<T>(x, y), [=] ORACLE_DEVICE(auto at) {
      const auto value = at.of(x);
      at.store(y, [&](int lane) { return F::of(value[lane]); });
    });
  }
};

template <class F>
struct Backward {
  template <class T>
  static void run(Stream stream, const T* kept, const T* dy, T* dx, std::int64_t count) {
    for_values<T>(stream, count, packed<T>(kept, dy, dx), [=] ORACLE_DEVICE(auto at) {
      const auto of = at.of(kept);
      const auto gradient = at.of(dy);
      at.store(dx, [&](int lane) { return F::slope(of[lane]) * gradient[lane]; });
    });
  }
};

template <template <class> class Way, class T>
void run(Stream stream, Function function, const T* a, const T* b, T* to, std::int64_t count) {
  switch (function) {
    case Function::relu:
      return Way<Relu>::run(stream, a, b, to, count);
    case Function::relu6:
      return Way<Relu6>::run(stream, a, b, to, count);
    case Function::relu2:
      return Way<SquaredRelu>::run(stream, a, b, to, count);
    case Function::leaky_relu:
      return Way<LeakyRelu>::run(stream, a, b, to, count);
    case Function::sigmoid:
      return Way<Sigmoid>::run(stream, a, b, to, count);
    case Function::tanh:
      return Way<Tanh>::run(stream, a, b, to, count);
    case Function::silu:
      return Way<Silu>::run(stream, a, b, to, count);
    case Function::hardswish:
      return Way<HardSwish>::run(stream, a, b, to, count);
    case Function::hardsigmoid:
      return Way<HardSigmoid>::run(stream, a, b, to, count);
    case Function::gelu:
      return Way<Gelu>::run(stream, a, b, to, count);
    case Function::elu:
      return Way<Elu>::run(stream, a, b, to, count);
    case Function::softplus:
      return Way<Softplus>::run(stream, a, b, to, count);
    case Function::mish:
      return Way<Mish>::run(stream, a, b, to, count);
    case Function::exp:
      return Way<Exponential>::run(stream, a, b, to, count);
    case Function::log:
      return Way<Logarithm>::run(stream, a, b, to, count);
    case Function::sqrt:
      return Way<Root>::run(stream, a, b, to, count);
    case Function::abs:
      return Way<Absolute>::run(stream, a, b, to, count);
    case Function::power:
      return Way<Square>::run(stream, a, b, to, count);
  }
}

}  // namespace

template <class T>
void activate(Stream stream, Function function, const T* x, T* y, std::int64_t count) {
  run<Forward, T>(stream, function, x, nullptr, y, count);
}

template <class T>
void activate_backward(Stream stream, Function function, const T* kept, const T* dy, T* dx,
                       std::int64_t count) {
  run<Backward, T>(stream, function, kept, dy, dx, count);
}

#define ORACLE_OF(T)                                                    \
  template void activate(Stream, Function, const T*, T*, std::int64_t); \
  template void activate_backward(Stream, Function, const T*, const T*, T*, std::int64_t);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
