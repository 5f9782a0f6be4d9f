#pragma once
// How does cuBLASLt multiply matrices whose rows lie in one piece?
//
// cuBLASLt's matrices lie column by column; one of ours, row by row, is the transpose of one of
// its. D = A·B of ours is therefore Dᵀ = Bᵀ·Aᵀ of its, with no value moved.
//                                                     tests/microbench/kernels/kinds_test.cpp

#include <string>

#include "microbench/kernels/gpu/device/runtime/context.h"

namespace oracle::gpu {

/// A matrix of ours, as it lies in memory; `transposed` in the product.
struct Factor {
  std::int64_t rows = 0, columns = 0;
  bool transposed = false;
  std::int64_t lead = 0;   ///< elements from a row to the next; 0: rows lie in one piece
  std::int64_t apart = 0;  ///< elements from the factor of one product to that of the next
  /// Bytes that divide every address that is passed: fast algorithms want 16 at least.
  std::int64_t alignment = 256;
};

struct ProductShape {
  std::string layer;  ///< for the record, with the pass
  Pass pass = Pass::forward;
  Factor a, b;
  bool biased = false;     ///< a value for each column of D is added
  std::int64_t count = 1;  ///< products that are computed together
  Factor d = {};           ///< its lead, apart and alignment; its extents follow from a and b
  bool rectified = false;  ///< max(D, 0) is written, of what the bias was added to
};

/// D = op(A)·op(B), or D += …
class MatrixProduct {
 public:
  MatrixProduct(Context& context, const ProductShape& shape);
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
