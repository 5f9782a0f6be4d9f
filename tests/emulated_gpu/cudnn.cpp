// cuDNN's convolutions, as its documentation describes them: tensors of any strides, filters in
// either order, the output's extents 1 + ⌊(in + 2·pad − ((k − 1)·dilation + 1))/stride⌋.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cudnn.h>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/emulated_gpu/cudnn_operands.h"
#include "tests/emulated_gpu/memory.h"
#include "tests/emulated_gpu/stream.h"

namespace emulated = oracle::emulated;
using emulated::fit;
using emulated::give_work;
using emulated::read;
using emulated::shape_of;
using emulated::Strided;
using emulated::Values;
using emulated::write;
using oracle::Element;

struct cudnnTensorStruct : emulated::Strided {};
struct cudnnFilterStruct {
  Element type = Element::fp32;
  std::vector<std::int64_t> dims;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
};
struct cudnnConvolutionStruct : emulated::Slide {
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};
struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
};
struct cudnnContext {
  cudaStream_t stream = nullptr;
};

namespace {

/// Of the algorithms that a search finds these alone run; the faster one makes a forward pass and
/// nothing of what follows it.
constexpr int kAlgorithm = 1;
constexpr int kForwardAlone = 4;
constexpr std::size_t kWorkspace = 1000;

Strided strided(const cudnnFilterStruct& filter) {
  const std::size_t rank = filter.dims.size();
  const bool last = filter.format == CUDNN_TENSOR_NHWC;
  std::vector<std::int64_t> strides(rank, 1);
  std::int64_t next = last ? filter.dims[1] : 1;
  for (std::size_t axis = rank - 1; axis >= 2; --axis) {
    strides[axis] = next;
    next *= filter.dims[axis];
  }
  if (!last) {
    strides[1] = next;
    next *= filter.dims[1];
  }
  strides[0] = next;
  return {filter.type, filter.dims, std::move(strides)};
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
  return is_in_order(x, w.format) && is_in_order(y, w.format) && fit(x.dims, w.dims, y.dims, c);
}

/// `zero`: what scales the output that was there, or what is added to it.
bool may_run(int algorithm, const void* workspace, std::size_t bytes, const void* alpha,
             const void* zero, int alone = kAlgorithm) {
  return (algorithm == kAlgorithm || algorithm == alone) && bytes >= kWorkspace &&
         emulated::is_device(workspace) && *static_cast<const float*>(alpha) == 1 &&
         *static_cast<const float*>(zero) == 0;
}

/// A value for each feature, in a tensor of as many axes as the output.
bool is_bias(const cudnnTensorStruct& bias, const cudnnTensorStruct& y) {
  if (bias.type != y.type || bias.dims.size() != y.dims.size()) return false;
  for (std::size_t axis = 0; axis < bias.dims.size(); ++axis) {
    if (bias.dims[axis] != (axis == 1 ? y.dims[1] : 1)) return false;
  }
  return bias.strides[1] == 1;
}

/// Values in the order (sample, channel, position).
void add_bias_and_rectify(const cudnnTensorStruct& y, const Values& bias, Values& values) {
  const std::size_t features = bias.size();
  const std::size_t positions = values.size() / (features * static_cast<std::size_t>(y.dims[0]));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::max(values[i] + bias[i / positions % features], 0.0);
  }
}

bool known(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_BFLOAT16 || type == CUDNN_DATA_HALF;
}

Element element_of(cudnnDataType_t type) {
  if (type == CUDNN_DATA_BFLOAT16) return Element::bf16;
  return type == CUDNN_DATA_HALF ? Element::fp16 : Element::fp32;
}

/// One fails, one is fast and not deterministic, one wants more than there is, one is forward's.
/// All take longer than any engine of the graph API, which are timed by the clock.
template <class Performance, class Algorithm>
cudnnStatus_t find(const cudnnTensorStruct& x, const cudnnFilterStruct& w,
                   const cudnnTensorStruct& y, const cudnnConvolutionStruct& c, void* workspace,
                   std::size_t bytes, int asked, int* count, Performance* found) {
  *count = 0;
  // It runs them and waits.
  if (emulated::break_capture()) return CUDNN_STATUS_EXECUTION_FAILED;
  if (!agree(x, w, y, c)) return CUDNN_STATUS_BAD_PARAM;
  if (c.groups > 1 && w.format == CUDNN_TENSOR_NHWC) return CUDNN_STATUS_NOT_SUPPORTED;
  if (asked < 5 || bytes < kWorkspace || !emulated::is_device(workspace)) {
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
  set(0, CUDNN_STATUS_SUCCESS, 500, 0, CUDNN_NON_DETERMINISTIC);
  set(2, CUDNN_STATUS_NOT_SUPPORTED, 100, 0, CUDNN_DETERMINISTIC);
  set(3, CUDNN_STATUS_SUCCESS, 200, std::size_t{1} << 40, CUDNN_DETERMINISTIC);
  set(kAlgorithm, CUDNN_STATUS_SUCCESS, 1000, kWorkspace, CUDNN_DETERMINISTIC);
  if (std::is_same_v<Performance, cudnnConvolutionFwdAlgoPerf_t>) {
    set(kForwardAlone, CUDNN_STATUS_SUCCESS, 750, kWorkspace, CUDNN_DETERMINISTIC);
  }
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

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* made) {
  *made = new cudnnActivationStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t made) {
  delete made;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation,
                                           cudnnActivationMode_t mode, cudnnNanPropagation_t,
                                           double) {
  activation->mode = mode;
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
  if (!agree(*x, *w, *y, *c) || !may_run(algorithm, workspace, bytes, alpha, beta, kForwardAlone)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const auto work = [=, x = *x, w = *w, y = *y, c = *c](bool) {
    write(y, y_data,
          convolution_forward(shape_of(x.dims, w.dims, y.dims, c), read(x, x_data),
                              read(strided(w), w_data)));
  };
  give_work(work, std::array<const void*, 4>{x_data, w_data, y_data, workspace});
  return CUDNN_STATUS_SUCCESS;
}

// Of tensors with two spatial axes alone.
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t, const void* alpha, const cudnnTensorDescriptor_t x, const void* x_data,
    const cudnnFilterDescriptor_t w, const void* w_data, const cudnnConvolutionDescriptor_t c,
    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, size_t bytes, const void* added,
    const cudnnTensorDescriptor_t z, const void*, const cudnnTensorDescriptor_t bias,
    const void* bias_data, const cudnnActivationDescriptor_t activation,
    const cudnnTensorDescriptor_t y, void* y_data) {
  if (!agree(*x, *w, *y, *c) || z->dims != y->dims || z->strides != y->strides ||
      !is_bias(*bias, *y) || !emulated::is_device(bias_data) ||
      activation->mode != CUDNN_ACTIVATION_RELU) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (y->dims.size() != 4 || algorithm == kForwardAlone) return CUDNN_STATUS_NOT_SUPPORTED;
  if (!may_run(algorithm, workspace, bytes, alpha, added)) return CUDNN_STATUS_BAD_PARAM;
  const auto work = [=, x = *x, w = *w, y = *y, c = *c, bias = *bias](bool) {
    Values values = convolution_forward(shape_of(x.dims, w.dims, y.dims, c), read(x, x_data),
                                        read(strided(w), w_data));
    add_bias_and_rectify(y, read(bias, bias_data), values);
    write(y, y_data, values);
  };
  give_work(work, std::array<const void*, 5>{x_data, w_data, bias_data, y_data, workspace});
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
  const auto work = [=, x = *x, w = *w, y = *y, c = *c](bool) {
    write(x, x_data,
          convolution_backward_data(shape_of(x.dims, w.dims, y.dims, c), read(strided(w), w_data),
                                    read(y, y_data)));
  };
  give_work(work, std::array<const void*, 4>{x_data, w_data, y_data, workspace});
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
  const auto work = [=, x = *x, w = *w, y = *y, c = *c](bool) {
    write(strided(w), w_data,
          convolution_backward_filter(shape_of(x.dims, w.dims, y.dims, c), read(x, x_data),
                                      read(y, y_data)));
  };
  give_work(work, std::array<const void*, 4>{x_data, w_data, y_data, workspace});
  return CUDNN_STATUS_SUCCESS;
}
}
