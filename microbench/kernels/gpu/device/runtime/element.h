#pragma once
// In which types do values lie in the device's memory?
//
// One type per format of microbench/elements/element.h. Arithmetic is fp32, sums are double; a
// value is rounded to its type, to nearest with ties to even, when it is stored.
//                                                     tests/microbench/kernels/harness.h

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "microbench/elements/element.h"
#include "microbench/kernels/gpu/device/runtime/parallel.h"

namespace oracle::gpu {

using Bf16 = __nv_bfloat16;
using Fp16 = __half;

template <class T>
inline constexpr Element kElementOf = Element::fp32;
template <>
inline constexpr Element kElementOf<Bf16> = Element::bf16;
template <>
inline constexpr Element kElementOf<Fp16> = Element::fp16;

template <class T>
ORACLE_DEVICE float wide(T value) {
  return static_cast<float>(value);
}

template <class T>
struct Type {
  using Of = T;
};

/// Calls use(Type<T>()) with the type of a format.
template <class Use>
auto with_type(Element element, Use use) {
  switch (element) {
    case Element::bf16:
      return use(Type<Bf16>());
    case Element::fp16:
      return use(Type<Fp16>());
    case Element::fp32:
      break;
  }
  return use(Type<float>());
}

}  // namespace oracle::gpu
