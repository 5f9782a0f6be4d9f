#pragma once
// How are many products of matrices of one size one call of oneDNN?
//
// to[i] = a[i]·b[i], or to[i] += a[i]·b[i], for each i of a batch, over plain fp32 memory with any
// strides but for the results, whose rows lie in one piece each.
//                                                tests/microbench/kernels/imported_kinds_test.cpp

#include "microbench/kernels/cpu/context.h"

namespace oracle {

/// A batch of matrices: how many, of which size, and how far apart their values lie.
struct Matrices {
  std::int64_t batch, rows, columns;
  std::int64_t apart, row_stride, column_stride;

  Matrices turned() const { return {batch, columns, rows, apart, column_stride, row_stride}; }
};

class BatchedProduct {
 public:
  BatchedProduct(const Context& context, const Matrices& a, const Matrices& b, const Matrices& to,
                 bool accumulates = false);

  void run(Context& context, const float* a, const float* b, float* to) const;

 private:
  dnnl::memory::desc a_, b_, to_;
  Primitive primitive_;
};

}  // namespace oracle
