#pragma once
// What does a window over positions, or over channels, compute? Pooling and local response
// normalization. cuDNN has both, but neither dilated windows nor a padding that differs from side
// to side, as pieces of a cut layer have them.
//                                                     tests/microbench/kernels/slabs_test.cpp

#include "microbench/kernels/gpu/device/runtime/element.h"
#include "microbench/kernels/tensor.h"
#include "oracle/graph/layer.h"

namespace oracle::gpu {

struct Pooling {
  Extents input, output;
  Window window;
};

/// The largest of each window, and at which input position it lay: the first of equals.
template <class T>
void max_pool(Stream stream, const Pooling& pooling, const T* x, T* y, std::int32_t* places);
template <class T>
void max_pool_backward(Stream stream, const Pooling& pooling, const std::int32_t* places,
                       const T* dy, T* dx);
/// The mean of each window; padding does not count.
template <class T>
void mean_pool(Stream stream, const Pooling& pooling, const T* x, T* y);
template <class T>
void mean_pool_backward(Stream stream, const Pooling& pooling, const T* dy, T* dx);

/// y[c] = x[c]·s[c]^−β with s[c] = k + α/n·Σ x[c']² over the n channels around c.
struct ResponseNorm {
  std::int64_t rows = 0, channels = 0, size = 1;
  float alpha = 1e-4F, beta = 0.75F, bias = 1;
};
template <class T>
void response_norm(Stream stream, const ResponseNorm& norm, const T* x, T* y, float* s);
/// dx[c] = dy[c]·s[c]^−β − 2αβ/n·x[c]·Σ dy[c']·x[c']·s[c']^(−β−1)
template <class T>
void response_norm_backward(Stream stream, const ResponseNorm& norm, const T* x, const float* s,
                            const T* dy, T* dx);

}  // namespace oracle::gpu
