#pragma once
// How does cuBLASLt multiply matrices whose rows lie in one piece?
//
// cuBLASLt's matrices lie column by column; one of ours, row by row, is the transpose of one of
// its. D = A·B of ours is therefore Dᵀ = Bᵀ·Aᵀ of its, with no value moved.
//                                                     tests/microbench/kernels/kinds_test.cpp

#include "microbench/kernels/gpu/device/context.h"

namespace oracle::gpu {

/// A matrix of ours, as it lies in memory; `transposed` in the product.
struct Factor {
  std::int64_t rows = 0, columns = 0;
  bool transposed = false;
};

/// D = op(A)·op(B), or D += …; with `biased` a value for each column of D is added.
class MatrixProduct {
 public:
  MatrixProduct(Context& context, const Factor& a, const Factor& b, bool biased);
  ~MatrixProduct();
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  /// Operands are of the back end's element type; products are summed in fp32.
  void run(const void* a, const void* b, void* d, bool accumulate, const void* bias = nullptr);

 private:
  Context& context_;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, d_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  std::int64_t workspace_ = 0;
  bool biased_;
};

}  // namespace oracle::gpu
