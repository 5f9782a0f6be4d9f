#pragma once
// How does cuDNN compute a convolution's three passes?
//
// A window slides over a wide tensor and steps through a narrow one. cuDNN's forward makes the
// narrow of the wide, its backward data the wide of the narrow, its backward filter the filter of
// both; a transposed convolution uses the same three the other way round.
//
// Which algorithm or engine runs is measured once for each shape, on the operands at hand, under a
// limit of workspace, and recorded (choice.h): the algorithms of cuDNN's calls and, but for the
// rectified pass, the engines of its graph API. Where cuDNN has none for channels-last tensors the
// operands are turned to channels first and back; that is recorded as well.
//
// A narrow tensor may be wanted with a bias added, rectified. cuDNN has a call for that, which
// takes some algorithms and not others: the fastest of those it takes runs. Where it takes none,
// the narrow is made alone, which is recorded under the name of that call, and the caller told.
//                                               tests/microbench/kernels/convolution_test.cpp

#include <memory>

#include "microbench/kernels/gpu/device/products/convolution_terms.h"

namespace oracle::gpu {

/// Of one algorithm.
inline constexpr std::int64_t kMostWorkspace = std::int64_t{1} << 30;

class Correlation {
 public:
  Correlation(Context& context, CorrelationShape shape);
  ~Correlation();
  Correlation(const Correlation&) = delete;
  Correlation& operator=(const Correlation&) = delete;

  // Operands are of the back end's element type; products are summed in fp32.

  /// Whether the bias was added and the sum rectified; it never is where the shape does not ask.
  bool narrow_of(const void* wide, const void* filter, void* narrow, const void* bias = nullptr);
  void wide_of(const void* narrow, const void* filter, void* wide);
  void filter_of(const void* wide, const void* narrow, void* filter);

 private:
  class Pass;

  Context& context_;
  CorrelationShape shape_;
  std::unique_ptr<Pass> narrow_, wide_, filter_;
};

}  // namespace oracle::gpu
