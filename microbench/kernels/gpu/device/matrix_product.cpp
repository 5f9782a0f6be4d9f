#include "microbench/kernels/gpu/device/matrix_product.h"

#include <string>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{64} << 20;

cudaDataType_t type_of(Element element) {
  if (element == Element::bf16) return CUDA_R_16BF;
  return element == Element::fp16 ? CUDA_R_16F : CUDA_R_32F;
}

/// Its columns are our rows.
cublasLtMatrixLayout_t layout_of(Element element, std::int64_t rows, std::int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublasLtMatrixLayoutCreate(&layout, type_of(element), static_cast<std::uint64_t>(columns),
                                   static_cast<std::uint64_t>(rows), columns),
        "cublasLtMatrixLayoutCreate");
  return layout;
}

template <class Value>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute,
         const Value& value) {
  check(cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

}  // namespace

MatrixProduct::MatrixProduct(Context& context, const Factor& a, const Factor& b, bool biased)
    : context_(context), biased_(biased) {
  const bool tf32 = context.math() == Math::tf32;
  check(cublasLtMatmulDescCreate(
            &product_, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  // Its first factor is our second.
  set(product_, CUBLASLT_MATMUL_DESC_TRANSA, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(product_, CUBLASLT_MATMUL_DESC_TRANSB, a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  if (biased) set(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
  a_ = layout_of(context.element(), a.rows, a.columns);
  b_ = layout_of(context.element(), b.rows, b.columns);
  d_ = layout_of(context.element(), a.transposed ? a.columns : a.rows,
                 b.transposed ? b.rows : b.columns);

  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &kMostWorkspace, sizeof kMostWorkspace),
        "cublasLtMatmulPreferenceSetAttribute");
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(context.blas(), product_, b_, a_, d_,
                                                               d_, preference, 1, &found, &count);
  static_cast<void>(cublasLtMatmulPreferenceDestroy(preference));
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  if (count == 0 || found.state != CUBLAS_STATUS_SUCCESS) {
    throw EnvironmentError("cuBLASLt has no algorithm for a product of " + std::to_string(a.rows) +
                           "x" + std::to_string(a.columns) + " and " + std::to_string(b.rows) +
                           "x" + std::to_string(b.columns));
  }
  algorithm_ = found.algo;
  workspace_ = static_cast<std::int64_t>(found.workspaceSize);
}

MatrixProduct::~MatrixProduct() {
  static_cast<void>(cublasLtMatrixLayoutDestroy(d_));
  static_cast<void>(cublasLtMatrixLayoutDestroy(b_));
  static_cast<void>(cublasLtMatrixLayoutDestroy(a_));
  static_cast<void>(cublasLtMatmulDescDestroy(product_));
}

void MatrixProduct::run(const void* a, const void* b, void* d, bool accumulate, const void* bias) {
  ensure((bias != nullptr) == biased_, "a matrix product has a bias where it was made for one");
  if (biased_) set(product_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  const Block workspace = context_.allocate(workspace_);
  const float one = 1;
  const float beta = accumulate ? 1 : 0;
  check(cublasLtMatmul(context_.blas(), product_, &one, b, b_, a, a_, &beta, d, d_, d, d_,
                       &algorithm_, workspace.data(), static_cast<std::size_t>(workspace.bytes()),
                       context_.stream()),
        "cublasLtMatmul");
}

}  // namespace oracle::gpu
