#pragma once
// How are products of the matrices of every sample and every group computed together?
//
// Where groups lie side by side in a row, neither samples nor groups alone are at equal distances:
// cuBLASLt computes those together of which there are more, and what is left one after the other.
//                                             tests/microbench/kernels/imported_kinds_test.cpp

#include "microbench/kernels/gpu/device/products/matrix_product.h"

namespace oracle::gpu {

/// Matrices of one operand; distances in elements.
struct Grouped {
  std::int64_t rows = 0, columns = 0;
  std::int64_t begin = 0;              ///< of the first, from where the tensor begins
  std::int64_t lead = 0;               ///< from a row to the next
  std::int64_t group = 0, sample = 0;  ///< from one's matrix to that of the next

  /// The bytes, up to 256, that divide all their addresses.
  std::int64_t alignment(Element type) const;
};

class GroupedProduct {
 public:
  /// D = op(A)·op(B) of each sample and group.
  struct Shape {
    std::string layer;
    Pass pass = Pass::forward;
    std::int64_t samples = 1, groups = 1;
    Grouped a;
    bool a_transposed = false;
    Grouped b;
    bool b_transposed = false;
    Grouped d;
  };
  GroupedProduct(Context& context, const Shape& shape);

  /// Where the tensors begin.
  template <class T>
  void run(const T* a, const T* b, T* d) {
    for (std::int64_t i = 0; i < times_; ++i) {
      product_.run(a + a_.begin + i * a_.apart, b + b_.begin + i * b_.apart,
                   d + d_.begin + i * d_.apart, false);
    }
  }

 private:
  struct Step {
    std::int64_t begin = 0, apart = 0;
  };

  std::int64_t times_;
  Step a_, b_, d_;
  MatrixProduct product_;
};

}  // namespace oracle::gpu
