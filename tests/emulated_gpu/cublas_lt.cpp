// cuBLASLt's product, as its documentation describes it: D = α·op(A)·op(B) + β·C, matrices lying
// column by column, element (i, j) at i + j·ld, those of a batch at equal distances; a bias of one
// value for each row of D, and a rectifier behind that. An algorithm counts on the alignment that
// was asked for.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <cublasLt.h>
#include <vector>

#include "tests/emulated_gpu/memory.h"
#include "tests/emulated_gpu/stream.h"
#include "tests/emulated_gpu/values.h"

using oracle::Element;
using oracle::emulated::Array;
using oracle::emulated::give_work;
using oracle::emulated::put;

namespace {

struct Product {
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;  ///< of the result's type
};

struct Matrix {
  Element type = Element::fp32;
  std::int64_t rows = 0, columns = 0, ld = 0;
  std::int32_t count = 1;
  std::int64_t apart = 0;
};

/// Bytes; of A, B, C and D in this order.
struct Preference {
  std::uint64_t workspace = 0;
  std::uint32_t alignment[4] = {256, 256, 256, 256};
};

constexpr std::size_t kWorkspace = 512;
constexpr int kAlgorithm = 7;

Element element_of(cudaDataType type) {
  if (type == CUDA_R_16BF) return Element::bf16;
  return type == CUDA_R_16F ? Element::fp16 : Element::fp32;
}

Product& product(cublasLtMatmulDesc_t made) { return *reinterpret_cast<Product*>(made); }
Matrix& matrix(cublasLtMatrixLayout_t made) { return *reinterpret_cast<Matrix*>(made); }
Preference& preference_of(cublasLtMatmulPreference_t made) {
  return *reinterpret_cast<Preference*>(made);
}

template <class To>
cublasStatus_t set_to(To& to, const void* value, size_t bytes) {
  if (bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

bool adds_bias(cublasLtEpilogue_t epilogue) {
  return epilogue == CUBLASLT_EPILOGUE_BIAS || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
}
bool rectifies(cublasLtEpilogue_t epilogue) {
  return epilogue == CUBLASLT_EPILOGUE_RELU || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
}
bool is_known(cublasLtEpilogue_t epilogue) {
  return epilogue == CUBLASLT_EPILOGUE_DEFAULT || adds_bias(epilogue) || rectifies(epilogue);
}

/// Whether an address is what an algorithm was told to count on.
bool aligned(const void* data, const cublasLtMatmulAlgo_t& algorithm, int operand) {
  const std::uint64_t wanted = algorithm.data[operand];
  return wanted > 0 && reinterpret_cast<std::uintptr_t>(data) % wanted == 0;
}

std::int64_t rows_of(const Matrix& m, cublasOperation_t op) {
  return op == CUBLAS_OP_N ? m.rows : m.columns;
}
std::int64_t columns_of(const Matrix& m, cublasOperation_t op) {
  return op == CUBLAS_OP_N ? m.columns : m.rows;
}
std::int64_t offset(const Matrix& m, cublasOperation_t op, std::int64_t i, std::int64_t j) {
  return op == CUBLAS_OP_N ? i + j * m.ld : j + i * m.ld;
}

bool agree(const Product& p, const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d) {
  const bool one_type = a.type == b.type && a.type == c.type && a.type == d.type;
  const bool room = a.ld >= a.rows && b.ld >= b.rows && d.ld >= d.rows;
  const bool together = a.count == d.count && b.count == d.count && c.count == d.count;
  return one_type && room && together && columns_of(a, p.a) == rows_of(b, p.b) &&
         rows_of(a, p.a) == d.rows && columns_of(b, p.b) == d.columns && c.rows == d.rows &&
         c.columns == d.columns;
}

/// op(m) of one of several products, column by column with nothing between.
std::vector<double> columns(const Matrix& m, cublasOperation_t op, const void* data,
                            std::int64_t product) {
  const Array array{data, m.type};
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(m.rows * m.columns));
  for (std::int64_t j = 0; j < columns_of(m, op); ++j) {
    for (std::int64_t i = 0; i < rows_of(m, op); ++i) {
      values.push_back(array[product * m.apart + offset(m, op, i, j)]);
    }
  }
  return values;
}

std::vector<double> multiply(const std::vector<double>& a, const std::vector<double>& b,
                             std::int64_t rows, std::int64_t columns) {
  const std::int64_t inner = static_cast<std::int64_t>(b.size()) / columns;
  std::vector<double> sums(static_cast<std::size_t>(rows * columns));
  for (std::int64_t j = 0; j < columns; ++j) {
    double* to = sums.data() + j * rows;
    for (std::int64_t k = 0; k < inner; ++k) {
      const double* from = a.data() + k * rows;
      const double factor = b[static_cast<std::size_t>(j * inner + k)];
      for (std::int64_t i = 0; i < rows; ++i) to[i] += factor * from[i];
    }
  }
  return sums;
}

struct Operands {
  const void *a, *b, *c;
  void* d;
};

void multiply_and_add(const Product& p, const Matrix& a, const Matrix& b, const Matrix& d,
                      const Operands& operands, double scale, double keep) {
  const Array c{operands.c, d.type}, bias{p.bias, d.type};
  for (std::int64_t product = 0; product < d.count; ++product) {
    const std::vector<double> sums =
        multiply(columns(a, p.a, operands.a, product), columns(b, p.b, operands.b, product), d.rows,
                 d.columns);
    auto next = sums.begin();
    for (std::int64_t j = 0; j < d.columns; ++j) {
      for (std::int64_t i = 0; i < d.rows; ++i) {
        double sum = *next++ * scale;
        const std::int64_t at = product * d.apart + i + j * d.ld;
        // What was there may be no number, and does not count.
        if (keep != 0) sum += keep * c[at];
        if (adds_bias(p.epilogue)) sum += bias[i];
        if (rectifies(p.epilogue)) sum = std::max(sum, 0.0);
        put(operands.d, d.type, at, sum);
      }
    }
  }
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130000; }
const char* cublasLtGetStatusString(cublasStatus_t) { return "CUBLAS_STATUS"; }
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(1));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  const bool known = compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (!known || scale != CUDA_R_32F) return CUBLAS_STATUS_INVALID_VALUE;
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Product);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
  delete &product(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  Product& p = product(made);
  const auto set = [&](auto& to) { return set_to(to, value, bytes); };
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(p.a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(p.b);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(p.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(p.bias);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld) {
  const bool known = type == CUDA_R_32F || type == CUDA_R_16BF || type == CUDA_R_16F;
  if (!known) return CUBLAS_STATUS_INVALID_VALUE;
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(new Matrix{
      element_of(type), static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), ld});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t made,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return set_to(matrix(made).count, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return set_to(matrix(made).apart, value, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
  delete &matrix(made);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
  delete &preference_of(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t made,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  Preference& p = preference_of(made);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set_to(p.workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return set_to(p.alignment[0], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return set_to(p.alignment[1], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return set_to(p.alignment[2], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set_to(p.alignment[3], value, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t made,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int asked,
                                              cublasLtMatmulHeuristicResult_t* found, int* count) {
  *count = 0;
  if (!agree(product(made), matrix(a), matrix(b), matrix(c), matrix(d)) || asked < 1) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const Preference& wanted = preference_of(preference);
  if (wanted.workspace < kWorkspace) return CUBLAS_STATUS_SUCCESS;
  found[0] = {};
  for (int operand = 0; operand < 4; ++operand) {
    found[0].algo.data[operand] = wanted.alignment[operand];
  }
  found[0].workspaceSize = kWorkspace;
  found[0].state = CUBLAS_STATUS_SUCCESS;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t*,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value, size_t bytes, size_t* written) {
  if (attribute != CUBLASLT_ALGO_CONFIG_ID || bytes != sizeof kAlgorithm) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(value, &kAlgorithm, sizeof kAlgorithm);
  *written = sizeof kAlgorithm;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t made, const void* alpha,
                              const void* a_data, cublasLtMatrixLayout_t a_layout,
                              const void* b_data, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c_data, cublasLtMatrixLayout_t c_layout, void* d_data,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t bytes,
                              cudaStream_t) {
  const Product p = product(made);
  const Matrix a = matrix(a_layout);
  const Matrix b = matrix(b_layout);
  const Matrix d = matrix(d_layout);
  if (!is_known(p.epilogue) || !agree(p, a, b, matrix(c_layout), d))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes < kWorkspace || !oracle::emulated::is_device(workspace)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!aligned(a_data, *algorithm, 0) || !aligned(b_data, *algorithm, 1) ||
      !aligned(c_data, *algorithm, 2) || !aligned(d_data, *algorithm, 3)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const Operands operands{a_data, b_data, c_data, d_data};
  const float scale = *static_cast<const float*>(alpha);
  const float keep = *static_cast<const float*>(beta);
  give_work([=](bool) { multiply_and_add(p, a, b, d, operands, double{scale}, double{keep}); },
            std::array<const void*, 6>{a_data, b_data, c_data, d_data, p.bias, workspace});
  return CUBLAS_STATUS_SUCCESS;
}
}
