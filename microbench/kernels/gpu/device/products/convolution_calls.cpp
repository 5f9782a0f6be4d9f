#include "microbench/kernels/gpu/device/products/convolution_calls.h"

#include <array>

#include "microbench/kernels/gpu/device/elementwise/rectifier.h"

namespace oracle::gpu {
namespace {

/// More than cuDNN has for any pass.
constexpr int kMostAlgorithms = 32;

std::vector<int> ints(const std::vector<std::int64_t>& values) {
  std::vector<int> made;
  made.reserve(values.size());
  for (const std::int64_t value : values) made.push_back(to_int(value));
  return made;
}

/// FMA_MATH keeps to fp32 units; DEFAULT_MATH may round factors to tf32 since Ampere.
cudnnMathType_t units_of(Math math) {
  switch (math) {
    case Math::fp32:
      return CUDNN_FMA_MATH;
    case Math::tf32:
      return CUDNN_DEFAULT_MATH;
    case Math::bf16:
    case Math::fp16:
      return CUDNN_TENSOR_OP_MATH;
  }
  return CUDNN_DEFAULT_MATH;
}

template <class Performance>
Candidate candidate_of(const Performance& measured) {
  return {static_cast<int>(measured.algo),          static_cast<int>(measured.mathType),
          measured.status == CUDNN_STATUS_SUCCESS,  measured.determinism == CUDNN_DETERMINISTIC,
          static_cast<double>(measured.time) / 1e3, static_cast<std::int64_t>(measured.memory)};
}

/// search(how many at most, how many found, what they did)
template <class Performance, class Search>
std::vector<Candidate> found_by(Search search) {
  std::array<Performance, kMostAlgorithms> performance{};
  int count = 0;
  std::vector<Candidate> found;
  if (search(kMostAlgorithms, &count, performance.data()) != CUDNN_STATUS_SUCCESS) return found;
  for (int i = 0; i < count; ++i) {
    found.push_back(candidate_of(performance[static_cast<std::size_t>(i)]));
  }
  return found;
}

}  // namespace

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::rectified_narrow:
      return "cudnnConvolutionBiasActivationForward";
    case Operation::narrow:
      return "cudnnConvolutionForward";
    case Operation::wide:
      return "cudnnConvolutionBackwardData";
    case Operation::filter:
      return "cudnnConvolutionBackwardFilter";
  }
  return "";
}

class ConvolutionCalls::Descriptors {
 public:
  Descriptors(const ConvolutionTerms& terms, Math math)
      : rectifier_(terms.type, to_int(terms.narrow.dims[1]), terms.pad.size()) {
    check(cudnnCreateTensorDescriptor(&wide_), "cudnnCreateTensorDescriptor");
    check(cudnnCreateTensorDescriptor(&narrow_), "cudnnCreateTensorDescriptor");
    check(cudnnCreateFilterDescriptor(&filter_), "cudnnCreateFilterDescriptor");
    check(cudnnCreateConvolutionDescriptor(&window_), "cudnnCreateConvolutionDescriptor");
    describe(wide_, terms.type, terms.wide);
    describe(narrow_, terms.type, terms.narrow);
    const std::vector<int> filter = ints(terms.filter.dims);
    check(cudnnSetFilterNdDescriptor(filter_, terms.type,
                                     terms.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
                                     static_cast<int>(filter.size()), filter.data()),
          "cudnnSetFilterNdDescriptor");
    check(cudnnSetConvolutionNdDescriptor(window_, static_cast<int>(terms.pad.size()),
                                          ints(terms.pad).data(), ints(terms.stride).data(),
                                          ints(terms.dilation).data(), CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT),
          "cudnnSetConvolutionNdDescriptor");
    check(cudnnSetConvolutionGroupCount(window_, terms.groups), "cudnnSetConvolutionGroupCount");
    check(cudnnSetConvolutionMathType(window_, units_of(math)), "cudnnSetConvolutionMathType");
  }
  ~Descriptors() {
    static_cast<void>(cudnnDestroyConvolutionDescriptor(window_));
    static_cast<void>(cudnnDestroyFilterDescriptor(filter_));
    static_cast<void>(cudnnDestroyTensorDescriptor(narrow_));
    static_cast<void>(cudnnDestroyTensorDescriptor(wide_));
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  cudnnTensorDescriptor_t wide() const { return wide_; }
  cudnnTensorDescriptor_t narrow() const { return narrow_; }
  cudnnFilterDescriptor_t filter() const { return filter_; }
  cudnnConvolutionDescriptor_t window() const { return window_; }
  const Rectifier& rectifier() const { return rectifier_; }

 private:
  static void describe(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, const Laid& laid) {
    const std::vector<int> dims = ints(laid.dims);
    check(cudnnSetTensorNdDescriptor(tensor, type, static_cast<int>(dims.size()), dims.data(),
                                     ints(laid.strides).data()),
          "cudnnSetTensorNdDescriptor");
  }

  Rectifier rectifier_;
  cudnnTensorDescriptor_t wide_ = nullptr, narrow_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t window_ = nullptr;
};

ConvolutionCalls::ConvolutionCalls(const ConvolutionTerms& terms, Math math)
    : math_(math), descriptors_(std::make_unique<Descriptors>(terms, math)) {}
ConvolutionCalls::~ConvolutionCalls() = default;
ConvolutionCalls::ConvolutionCalls(ConvolutionCalls&&) noexcept = default;
ConvolutionCalls& ConvolutionCalls::operator=(ConvolutionCalls&&) noexcept = default;

std::vector<Candidate> ConvolutionCalls::measured(cudnnHandle_t handle, Operation operation,
                                                  const Operands& of, void* workspace,
                                                  std::size_t bytes) const {
  const Descriptors& d = *descriptors_;
  switch (operation) {
    case Operation::wide:
      return found_by<cudnnConvolutionBwdDataAlgoPerf_t>([&](int most, int* count, auto* found) {
        return cudnnFindConvolutionBackwardDataAlgorithmEx(
            handle, d.filter(), of.filter, d.narrow(), of.narrow, d.window(), d.wide(), of.wide,
            most, count, found, workspace, bytes);
      });
    case Operation::filter:
      return found_by<cudnnConvolutionBwdFilterAlgoPerf_t>([&](int most, int* count, auto* found) {
        return cudnnFindConvolutionBackwardFilterAlgorithmEx(
            handle, d.wide(), of.wide, d.narrow(), of.narrow, d.window(), d.filter(), of.filter,
            most, count, found, workspace, bytes);
      });
    case Operation::rectified_narrow:
    case Operation::narrow:
      break;
  }
  return found_by<cudnnConvolutionFwdAlgoPerf_t>([&](int most, int* count, auto* found) {
    return cudnnFindConvolutionForwardAlgorithmEx(handle, d.wide(), of.wide, d.filter(), of.filter,
                                                  d.window(), d.narrow(), of.narrow, most, count,
                                                  found, workspace, bytes);
  });
}

cudnnStatus_t ConvolutionCalls::run(cudnnHandle_t handle, Operation operation, const Operands& of,
                                    const Candidate& by, void* workspace) const {
  const Descriptors& d = *descriptors_;
  const float one = 1;
  const float zero = 0;
  const auto bytes = static_cast<std::size_t>(by.workspace);
  // In fp32 the descriptor stays at FMA_MATH, whatever the search reports.
  if (math_ != Math::fp32) {
    check(cudnnSetConvolutionMathType(d.window(), static_cast<cudnnMathType_t>(by.math)),
          "cudnnSetConvolutionMathType");
  }
  switch (operation) {
    case Operation::rectified_narrow:
      return cudnnConvolutionBiasActivationForward(
          handle, &one, d.wide(), of.wide, d.filter(), of.filter, d.window(),
          static_cast<cudnnConvolutionFwdAlgo_t>(by.algorithm), workspace, bytes, &zero, d.narrow(),
          of.narrow, d.rectifier().bias(), of.bias, d.rectifier().function(), d.narrow(),
          of.narrow);
    case Operation::narrow:
      return cudnnConvolutionForward(handle, &one, d.wide(), of.wide, d.filter(), of.filter,
                                     d.window(),
                                     static_cast<cudnnConvolutionFwdAlgo_t>(by.algorithm),
                                     workspace, bytes, &zero, d.narrow(), of.narrow);
    case Operation::wide:
      return cudnnConvolutionBackwardData(handle, &one, d.filter(), of.filter, d.narrow(),
                                          of.narrow, d.window(),
                                          static_cast<cudnnConvolutionBwdDataAlgo_t>(by.algorithm),
                                          workspace, bytes, &zero, d.wide(), of.wide);
    case Operation::filter:
      return cudnnConvolutionBackwardFilter(
          handle, &one, d.wide(), of.wide, d.narrow(), of.narrow, d.window(),
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(by.algorithm), workspace, bytes, &zero,
          d.filter(), of.filter);
  }
  return CUDNN_STATUS_BAD_PARAM;
}

}  // namespace oracle::gpu
