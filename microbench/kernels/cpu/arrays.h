#pragma once
// What is done to whole arrays, value by value? Loops that the compiler turns into vector code for
// the processor at hand.

#include <cstdint>

namespace oracle {

/// sum += term
void add_to(float* sum, const float* term, std::int64_t count);
/// to = a + b; `to` may be either.
void add(float* to, const float* a, const float* b, std::int64_t count);
/// to = a·b
void multiply(float* to, const float* a, const float* b, std::int64_t count);

/// m = decay·m + g;  w −= rate·m          the form of Sutskever et al., ICML 2013, as PyTorch has
/// it
void momentum_step(float* weights, float* momentum, const float* gradient, float rate, float decay,
                   std::int64_t count);
/// w −= rate·g
void descent_step(float* weights, const float* gradient, float rate, std::int64_t count);

struct AdamStep {
  float rate = 0;  ///< the learning rate over the first moment's bias, 1 − β₁ᵗ
  float first_decay = 0;
  float first_weight = 1;  ///< 1 − β₁, rounded once
  float second_decay = 0;
  float second_weight = 1;
  float second_scale = 1;  ///< one over the second moment's bias, 1 − β₂ᵗ
  float epsilon = 0;
};

/// m = β₁·m + (1−β₁)·g;  v = β₂·v + (1−β₂)·g²;  w −= rate·m̂/(√v̂ + ε)     Kingma & Ba, ICLR 2015
void adam_step(float* weights, float* first, float* second, const float* gradient,
               const AdamStep& step, std::int64_t count);

}  // namespace oracle
