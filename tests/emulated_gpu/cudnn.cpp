// cuDNN's convolutions, as its documentation describes them: tensors of any strides, filters in
// either order, the output's extents 1 + ⌊(in + 2·pad − ((k − 1)·dilation + 1))/stride⌋.

#include <array>
#include <cstdint>
#include <cudnn.h>
#include <vector>

#include "microbench/kernels/gpu/device/parallel.h"
#include "tests/emulated_gpu/memory.h"
#include "tests/emulated_gpu/values.h"

namespace emulated = oracle::emulated;
using emulated::Array;
using oracle::Element;

struct cudnnTensorStruct {
  Element type = Element::fp32;
  std::vector<int> dims, strides;
};
struct cudnnFilterStruct {
  Element type = Element::fp32;
  std::vector<int> dims;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
};
struct cudnnConvolutionStruct {
  std::vector<int> pad, stride, dilation;
  int groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};
struct cudnnContext {
  cudaStream_t stream = nullptr;
};

namespace {

using Index = std::vector<std::int64_t>;

/// Of the algorithms that a search finds this alone runs.
constexpr int kAlgorithm = 1;
constexpr std::size_t kWorkspace = 1000;

/// Calls visit(index) for each index below `sizes`.
template <class Visit>
void for_each(const std::vector<int>& sizes, Visit visit) {
  Index at(sizes.size(), 0);
  while (true) {
    visit(at);
    std::size_t axis = sizes.size();
    while (axis > 0 && ++at[axis - 1] == sizes[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

std::vector<int> strides_of(const cudnnFilterStruct& filter) {
  const std::size_t rank = filter.dims.size();
  const bool last = filter.format == CUDNN_TENSOR_NHWC;
  std::vector<int> strides(rank, 1);
  int next = last ? filter.dims[1] : 1;
  for (std::size_t axis = rank - 1; axis >= 2; --axis) {
    strides[axis] = next;
    next *= filter.dims[axis];
  }
  if (!last) {
    strides[1] = next;
    next *= filter.dims[1];
  }
  strides[0] = next;
  return strides;
}

/// Of one channel or one position, both orders are one.
bool is_in_order(const cudnnTensorStruct& tensor, cudnnTensorFormat_t format) {
  std::int64_t positions = 1;
  for (std::size_t axis = 2; axis < tensor.dims.size(); ++axis) positions *= tensor.dims[axis];
  if (tensor.dims[1] == 1 || positions == 1) return true;
  return (tensor.strides[1] == 1) == (format == CUDNN_TENSOR_NHWC);
}

/// Do extents, channels and orders go together?
bool agree(const cudnnTensorStruct& x, const cudnnFilterStruct& w, const cudnnTensorStruct& y,
           const cudnnConvolutionStruct& c) {
  if (x.type != w.type || x.type != y.type) return false;
  // Factors of two bytes are the tensor units' alone.
  if (x.type != Element::fp32 && c.math != CUDNN_TENSOR_OP_MATH) return false;
  if (x.dims[0] != y.dims[0] || y.dims[1] != w.dims[0]) return false;
  if (x.dims[1] != w.dims[1] * c.groups || w.dims[0] % c.groups != 0) return false;
  if (!is_in_order(x, w.format) || !is_in_order(y, w.format)) return false;
  for (std::size_t axis = 2; axis < x.dims.size(); ++axis) {
    const std::size_t s = axis - 2;
    const int reach = (w.dims[axis] - 1) * c.dilation[s] + 1;
    if (c.pad[s] < 0 || x.dims[axis] + 2 * c.pad[s] < reach) return false;
    if (y.dims[axis] != 1 + (x.dims[axis] + 2 * c.pad[s] - reach) / c.stride[s]) return false;
  }
  return true;
}

/// Calls visit(offset in x, offset in w, offset in y) for each product.
template <class Visit>
void for_each_product(const cudnnTensorStruct& x, const cudnnFilterStruct& w,
                      const cudnnTensorStruct& y, const cudnnConvolutionStruct& c, Visit visit) {
  const std::vector<int> filter_strides = strides_of(w);
  std::vector<int> taps(w.dims.begin() + 1, w.dims.end());
  const int filters_per_group = w.dims[0] / c.groups;
  for_each(y.dims, [&](const Index& out) {
    std::int64_t at_y = 0;
    for (std::size_t axis = 0; axis < out.size(); ++axis) at_y += out[axis] * y.strides[axis];
    const std::int64_t group = out[1] / filters_per_group;
    for_each(taps, [&](const Index& tap) {
      std::int64_t at_w = out[1] * filter_strides[0];
      for (std::size_t axis = 0; axis < tap.size(); ++axis) {
        at_w += tap[axis] * filter_strides[axis + 1];
      }
      std::int64_t at_x = out[0] * x.strides[0] + (group * w.dims[1] + tap[0]) * x.strides[1];
      for (std::size_t axis = 2; axis < out.size(); ++axis) {
        const std::size_t s = axis - 2;
        const std::int64_t i = out[axis] * c.stride[s] + tap[s + 1] * c.dilation[s] - c.pad[s];
        if (i < 0 || i >= x.dims[axis]) return;
        at_x += i * x.strides[axis];
      }
      visit(at_x, at_w, at_y);
    });
  });
}

bool may_run(int algorithm, const void* workspace, std::size_t bytes, const void* alpha,
             const void* beta) {
  return algorithm == kAlgorithm && bytes >= kWorkspace && emulated::is_device(workspace) &&
         *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
}

/// Sums in double over the products that make up each value of the result.
template <class Add>
void run(std::int64_t results, void* to, Element type, Add add) {
  const oracle::gpu::DeviceAccess access;
  std::vector<double> sums(static_cast<std::size_t>(results));
  add(sums);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    emulated::put(to, type, static_cast<std::int64_t>(i), sums[i]);
  }
}

bool known(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_BFLOAT16 || type == CUDNN_DATA_HALF;
}

Element element_of(cudnnDataType_t type) {
  if (type == CUDNN_DATA_BFLOAT16) return Element::bf16;
  return type == CUDNN_DATA_HALF ? Element::fp16 : Element::fp32;
}

std::int64_t elements(const std::vector<int>& dims) {
  std::int64_t count = 1;
  for (const int dim : dims) count *= dim;
  return count;
}

/// One fails, one is fast and not deterministic, one wants more than there is.
template <class Performance, class Algorithm>
cudnnStatus_t find(const cudnnTensorStruct& x, const cudnnFilterStruct& w,
                   const cudnnTensorStruct& y, const cudnnConvolutionStruct& c, void* workspace,
                   std::size_t bytes, int asked, int* count, Performance* found) {
  *count = 0;
  if (!agree(x, w, y, c)) return CUDNN_STATUS_BAD_PARAM;
  if (c.groups > 1 && w.format == CUDNN_TENSOR_NHWC) return CUDNN_STATUS_NOT_SUPPORTED;
  if (asked < 4 || bytes < kWorkspace || !emulated::is_device(workspace)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const auto set = [&](int algorithm, cudnnStatus_t status, float time, std::size_t memory,
                       cudnnDeterminism_t determinism) {
    Performance& one = found[(*count)++];
    one = {};
    one.algo = static_cast<Algorithm>(algorithm);
    one.status = status;
    one.time = time;
    one.memory = memory;
    one.determinism = determinism;
    one.mathType = c.math;
  };
  set(0, CUDNN_STATUS_SUCCESS, 0.5F, 0, CUDNN_NON_DETERMINISTIC);
  set(2, CUDNN_STATUS_NOT_SUPPORTED, 0.1F, 0, CUDNN_DETERMINISTIC);
  set(3, CUDNN_STATUS_SUCCESS, 0.2F, std::size_t{1} << 40, CUDNN_DETERMINISTIC);
  set(kAlgorithm, CUDNN_STATUS_SUCCESS, 1, kWorkspace, CUDNN_DETERMINISTIC);
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() { return 91900; }
const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_BAD_PARAM ? "CUDNN_STATUS_BAD_PARAM" : "CUDNN_STATUS";
}
void cudnnGetLastErrorString(char* message, size_t size) {
  if (size > 0) message[0] = '\0';
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = new cudnnContext;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
  *made = new cudnnTensorStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t made) {
  delete made;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                         int rank, const int* dims, const int* strides) {
  if (!known(type) || rank < 4 || rank > 5) return CUDNN_STATUS_BAD_PARAM;
  tensor->type = element_of(type);
  tensor->dims.assign(dims, dims + rank);
  tensor->strides.assign(strides, strides + rank);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) {
  *made = new cudnnFilterStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t made) {
  delete made;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int rank, const int* dims) {
  if (!known(type) || rank < 4 || rank > 5) return CUDNN_STATUS_BAD_PARAM;
  filter->type = element_of(type);
  filter->dims.assign(dims, dims + rank);
  filter->format = format;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made) {
  *made = new cudnnConvolutionStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t made) {
  delete made;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t window, int axes,
                                              const int* pad, const int* stride,
                                              const int* dilation, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t type) {
  if (mode != CUDNN_CROSS_CORRELATION || type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_BAD_PARAM;
  window->pad.assign(pad, pad + axes);
  window->stride.assign(stride, stride + axes);
  window->dilation.assign(dilation, dilation + axes);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t window, int groups) {
  window->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t window,
                                          cudnnMathType_t math) {
  window->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const void*, const cudnnFilterDescriptor_t w,
    const void*, const cudnnConvolutionDescriptor_t c, const cudnnTensorDescriptor_t y, void*,
    const int asked, int* count, cudnnConvolutionFwdAlgoPerf_t* found, void* workspace,
    size_t bytes) {
  return find<cudnnConvolutionFwdAlgoPerf_t, cudnnConvolutionFwdAlgo_t>(*x, *w, *y, *c, workspace,
                                                                        bytes, asked, count, found);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const void*, const cudnnTensorDescriptor_t y,
    const void*, const cudnnConvolutionDescriptor_t c, const cudnnTensorDescriptor_t x, void*,
    const int asked, int* count, cudnnConvolutionBwdDataAlgoPerf_t* found, void* workspace,
    size_t bytes) {
  return find<cudnnConvolutionBwdDataAlgoPerf_t, cudnnConvolutionBwdDataAlgo_t>(
      *x, *w, *y, *c, workspace, bytes, asked, count, found);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const void*, const cudnnTensorDescriptor_t y,
    const void*, const cudnnConvolutionDescriptor_t c, const cudnnFilterDescriptor_t w, void*,
    const int asked, int* count, cudnnConvolutionBwdFilterAlgoPerf_t* found, void* workspace,
    size_t bytes) {
  return find<cudnnConvolutionBwdFilterAlgoPerf_t, cudnnConvolutionBwdFilterAlgo_t>(
      *x, *w, *y, *c, workspace, bytes, asked, count, found);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void* alpha,
                                      const cudnnTensorDescriptor_t x, const void* x_data,
                                      const cudnnFilterDescriptor_t w, const void* w_data,
                                      const cudnnConvolutionDescriptor_t c,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                      size_t bytes, const void* beta,
                                      const cudnnTensorDescriptor_t y, void* y_data) {
  if (!agree(*x, *w, *y, *c) || !may_run(algorithm, workspace, bytes, alpha, beta)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const Array input{x_data, x->type};
  const Array filter{w_data, w->type};
  run(elements(y->dims), y_data, y->type, [&](std::vector<double>& sums) {
    for_each_product(*x, *w, *y, *c, [&](std::int64_t i, std::int64_t f, std::int64_t o) {
      sums[static_cast<std::size_t>(o)] += input[i] * filter[f];
    });
  });
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void* alpha,
                                           const cudnnFilterDescriptor_t w, const void* w_data,
                                           const cudnnTensorDescriptor_t y, const void* y_data,
                                           const cudnnConvolutionDescriptor_t c,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           size_t bytes, const void* beta,
                                           const cudnnTensorDescriptor_t x, void* x_data) {
  if (!agree(*x, *w, *y, *c) || !may_run(algorithm, workspace, bytes, alpha, beta)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const Array gradient{y_data, y->type};
  const Array filter{w_data, w->type};
  run(elements(x->dims), x_data, x->type, [&](std::vector<double>& sums) {
    for_each_product(*x, *w, *y, *c, [&](std::int64_t i, std::int64_t f, std::int64_t o) {
      sums[static_cast<std::size_t>(i)] += gradient[o] * filter[f];
    });
  });
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void* alpha,
                                             const cudnnTensorDescriptor_t x, const void* x_data,
                                             const cudnnTensorDescriptor_t y, const void* y_data,
                                             const cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void* workspace, size_t bytes, const void* beta,
                                             const cudnnFilterDescriptor_t w, void* w_data) {
  if (!agree(*x, *w, *y, *c) || !may_run(algorithm, workspace, bytes, alpha, beta)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const Array input{x_data, x->type};
  const Array gradient{y_data, y->type};
  run(elements(w->dims), w_data, w->type, [&](std::vector<double>& sums) {
    for_each_product(*x, *w, *y, *c, [&](std::int64_t i, std::int64_t f, std::int64_t o) {
      sums[static_cast<std::size_t>(f)] += input[i] * gradient[o];
    });
  });
  return CUDNN_STATUS_SUCCESS;
}
}
