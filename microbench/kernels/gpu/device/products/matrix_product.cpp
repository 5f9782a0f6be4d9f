#include "microbench/kernels/gpu/device/products/matrix_product.h"

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
cublasLtMatrixLayout_t layout_of(Element element, const Factor& factor, std::int64_t count) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublasLtMatrixLayoutCreate(&layout, type_of(element),
                                   static_cast<std::uint64_t>(factor.columns),
                                   static_cast<std::uint64_t>(factor.rows),
                                   factor.lead == 0 ? factor.columns : factor.lead),
        "cublasLtMatrixLayoutCreate");
  if (count == 1) return layout;
  const auto products = static_cast<std::int32_t>(count);
  check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &products,
                                         sizeof products),
        "cublasLtMatrixLayoutSetAttribute");
  check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                         &factor.apart, sizeof factor.apart),
        "cublasLtMatrixLayoutSetAttribute");
  return layout;
}

template <class Value>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute,
         const Value& value) {
  check(cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

template <class Value>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const Value& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
        "cublasLtMatmulPreferenceSetAttribute");
}

/// What algorithms may count on. Its first factor is our second.
cublasLtMatmulPreference_t preference_for(const ProductShape& shape) {
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace);
  const auto alignment = [&](cublasLtMatmulPreferenceAttributes_t of, const Factor& factor) {
    set(preference, of, static_cast<std::uint32_t>(factor.alignment));
  };
  alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, shape.b);
  alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, shape.a);
  alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, shape.d);
  alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, shape.d);
  return preference;
}

std::string text(const Factor& factor) {
  return std::to_string(factor.rows) + "x" + std::to_string(factor.columns) +
         (factor.transposed ? " transposed" : "");
}

/// "64x32 and 16x32 transposed, 8 together"
std::string text(const ProductShape& shape) {
  std::string words = text(shape.a) + " and " + text(shape.b);
  if (shape.count > 1) words += ", " + std::to_string(shape.count) + " together";
  return shape.rectified ? words + ", rectified" : words;
}

cublasLtEpilogue_t epilogue_of(const ProductShape& shape) {
  if (shape.rectified) {
    return shape.biased ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  }
  return shape.biased ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

int number_of(const cublasLtMatmulAlgo_t& algorithm) {
  int number = 0;
  std::size_t written = 0;
  check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &number,
                                             sizeof number, &written),
        "cublasLtMatmulAlgoConfigGetAttribute");
  return number;
}

}  // namespace

MatrixProduct::MatrixProduct(Context& context, const ProductShape& shape)
    : context_(context), biased_(shape.biased) {
  const bool tf32 = context.math() == Math::tf32;
  check(cublasLtMatmulDescCreate(
            &product_, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  const Factor& a = shape.a;
  const Factor& b = shape.b;
  set(product_, CUBLASLT_MATMUL_DESC_TRANSA, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(product_, CUBLASLT_MATMUL_DESC_TRANSB, a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(shape));
  Factor d = shape.d;
  d.rows = a.transposed ? a.columns : a.rows;
  d.columns = b.transposed ? b.rows : b.columns;
  a_ = layout_of(context.element(), a, shape.count);
  b_ = layout_of(context.element(), b, shape.count);
  d_ = layout_of(context.element(), d, shape.count);

  const cublasLtMatmulPreference_t preference = preference_for(shape);
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(context.blas(), product_, b_, a_, d_,
                                                               d_, preference, 1, &found, &count);
  static_cast<void>(cublasLtMatmulPreferenceDestroy(preference));
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  if (count == 0 || found.state != CUBLAS_STATUS_SUCCESS) {
    throw EnvironmentError("cuBLASLt has no algorithm for a product of " + text(shape) +
                           " in layer " + shape.layer);
  }
  algorithm_ = found.algo;
  workspace_ = static_cast<std::int64_t>(found.workspaceSize);
  context.record(
      {shape.layer, shape.pass, "cublasLtMatmul", text(shape), number_of(algorithm_), workspace_});
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
