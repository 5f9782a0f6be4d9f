#include "microbench/kernels/gpu/device/correlation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "microbench/kernels/gpu/device/boxes.h"
#include "microbench/kernels/gpu/device/rectifier.h"
#include "microbench/kernels/gpu/device/tensor.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

/// More than cuDNN has for any pass.
constexpr int kMostAlgorithms = 32;

int to_int(std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    throw EnvironmentError(
        "cuDNN takes no tensor of more than 2^31 values along an axis; train "
        "with a smaller batch or on more ranks");
  }
  return static_cast<int>(value);
}

/// Samples, channels and the last `rank` spatial extents.
std::vector<int> dims_of(const Extents& e, std::size_t rank) {
  std::vector<int> dims{to_int(e.samples), to_int(e.channels)};
  if (rank == 3) dims.push_back(to_int(e.depth));
  dims.push_back(to_int(e.height));
  dims.push_back(to_int(e.width));
  return dims;
}

/// Distance in memory of neighbours along each of `dims`.
std::vector<int> strides_of(const std::vector<int>& dims, bool channels_last) {
  std::vector<int> strides(dims.size(), 1);
  std::int64_t next = channels_last ? dims[1] : 1;
  for (std::size_t axis = dims.size() - 1; axis >= 2; --axis) {
    strides[axis] = to_int(next);
    next *= dims[axis];
  }
  strides[1] = channels_last ? 1 : to_int(next);
  strides[0] = to_int(channels_last ? next : next * dims[1]);
  return strides;
}

std::vector<int> last(const std::array<int, 3>& axes, std::size_t rank) {
  return {axes.end() - static_cast<std::ptrdiff_t>(rank), axes.end()};
}

cudnnDataType_t type_of(Element element) {
  if (element == Element::bf16) return CUDNN_DATA_BFLOAT16;
  return element == Element::fp16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
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

enum class Operation : std::uint8_t { rectified_narrow, narrow, wide, filter };

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

/// Of the layer, that runs it.
oracle::Pass pass_of(Operation operation, bool transposed) {
  if (operation == Operation::filter) return oracle::Pass::backward_weights;
  const bool forward = (operation == Operation::wide) == transposed;
  return forward ? oracle::Pass::forward : oracle::Pass::backward_data;
}

std::string text(const Extents& e) {
  return std::to_string(e.samples) + "x" + std::to_string(e.channels) + "x" +
         std::to_string(e.depth) + "x" + std::to_string(e.height) + "x" + std::to_string(e.width);
}

std::string text(const std::array<int, 3>& axes) {
  return std::to_string(axes[0]) + "x" + std::to_string(axes[1]) + "x" + std::to_string(axes[2]);
}

template <class Performance>
Candidate candidate_of(const Performance& measured) {
  return {static_cast<int>(measured.algo),          static_cast<int>(measured.mathType),
          measured.status == CUDNN_STATUS_SUCCESS,  measured.determinism == CUDNN_DETERMINISTIC,
          static_cast<double>(measured.time) / 1e3, static_cast<std::int64_t>(measured.memory)};
}

/// Memory for a search, which is not the step's: as much of the limit as there is.
class SearchSpace {
 public:
  explicit SearchSpace(DeviceMemory& memory) : memory_(memory) {
    for (bytes_ = kMostWorkspace; bytes_ > 0 && data_ == nullptr; bytes_ /= 2) {
      data_ = memory_.take(bytes_);
      if (data_ != nullptr) break;
    }
  }
  ~SearchSpace() {
    if (data_ != nullptr) memory_.give(data_);
  }
  SearchSpace(const SearchSpace&) = delete;
  SearchSpace& operator=(const SearchSpace&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return data_ == nullptr ? 0 : static_cast<std::size_t>(bytes_); }

 private:
  DeviceMemory& memory_;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace

/// What cuDNN is told of the operands, in one of the two orders.
class Correlation::Descriptors {
 public:
  Descriptors(const CorrelationShape& shape, Math math, Element element, bool channels_last)
      : type_(type_of(element)),
        rectifier_(type_, to_int(shape.narrow.channels), shape.geometry.rank) {
    const Geometry& g = shape.geometry;
    check(cudnnCreateTensorDescriptor(&wide_), "cudnnCreateTensorDescriptor");
    check(cudnnCreateTensorDescriptor(&narrow_), "cudnnCreateTensorDescriptor");
    check(cudnnCreateFilterDescriptor(&filter_), "cudnnCreateFilterDescriptor");
    check(cudnnCreateConvolutionDescriptor(&window_), "cudnnCreateConvolutionDescriptor");
    describe(wide_, dims_of(g.wide, g.rank), channels_last);
    describe(narrow_, dims_of(shape.narrow, g.rank), channels_last);
    std::vector<int> filter{to_int(shape.filter.filters), to_int(shape.filter.channels)};
    const std::vector<int> kernel = last(g.kernel, g.rank);
    filter.insert(filter.end(), kernel.begin(), kernel.end());
    check(cudnnSetFilterNdDescriptor(filter_, type_,
                                     channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
                                     static_cast<int>(filter.size()), filter.data()),
          "cudnnSetFilterNdDescriptor");
    check(cudnnSetConvolutionNdDescriptor(window_, static_cast<int>(g.rank),
                                          last(g.pad, g.rank).data(), last(g.stride, g.rank).data(),
                                          last(g.dilation, g.rank).data(), CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT),
          "cudnnSetConvolutionNdDescriptor");
    check(cudnnSetConvolutionGroupCount(window_, shape.groups), "cudnnSetConvolutionGroupCount");
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
  void describe(cudnnTensorDescriptor_t tensor, const std::vector<int>& dims,
                bool channels_last) const {
    const std::vector<int> strides = strides_of(dims, channels_last);
    check(cudnnSetTensorNdDescriptor(tensor, type_, static_cast<int>(dims.size()), dims.data(),
                                     strides.data()),
          "cudnnSetTensorNdDescriptor");
  }

  cudnnDataType_t type_;
  Rectifier rectifier_;
  cudnnTensorDescriptor_t wide_ = nullptr, narrow_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t window_ = nullptr;
};

struct Correlation::Operands {
  void* wide = nullptr;
  void* narrow = nullptr;
  void* filter = nullptr;
  const void* bias = nullptr;
};

/// One of the three, ready to run: an order, and an algorithm once it was looked for.
class Correlation::Pass {
 public:
  Pass(Context& context, const CorrelationShape& shape, Operation operation)
      : context_(context), shape_(shape), operation_(operation) {}

  /// What ran.
  Operation run(const Operands& operands) {
    if (!chosen_) choose_algorithm(operands);
    with_operands(operands, [&](const Operands& turned) {
      const Block workspace = context_.allocate(chosen_->workspace);
      check(launch(turned, *chosen_, workspace.data()), name_of(operation_));
    });
    return operation_;
  }

 private:
  std::string shapes(bool channels_last) const {
    const Geometry& g = shape_.geometry;
    return text(g.wide) + " to " + text(shape_.narrow) + ", window " + text(g.kernel) +
           ", stride " + text(g.stride) + ", pad " + text(g.pad) + ", dilation " +
           text(g.dilation) + ", groups " + std::to_string(shape_.groups) + ", " +
           std::string(name_of(context_.math())) + (channels_last ? "" : ", channels first");
  }

  void choose_algorithm(const Operands& operands) {
    const Operation wanted = operation_;
    for (const bool channels_last : {true, false}) {
      channels_last_ = channels_last;
      descriptors_.emplace(shape_, context_.math(), context_.element(), channels_last);
      operation_ = wanted;
      if (find_algorithm(operands)) return;
      if (wanted != Operation::rectified_narrow) continue;
      operation_ = Operation::narrow;
      if (find_algorithm(operands)) return;
    }
    throw EnvironmentError(std::string(name_of(operation_)) + " has no algorithm for layer " +
                           shape_.name + " (" + shapes(true) + ")");
  }

  /// Of the operation, in the order of the descriptors.
  bool find_algorithm(const Operands& operands) {
    const std::string key = std::string(name_of(operation_)) + " " + shapes(channels_last_);
    if (const Candidate* known = context_.known(key)) {
      chosen_ = *known;
    } else {
      with_operands(operands, [&](const Operands& turned) { chosen_ = searched(turned); });
      if (!chosen_) return false;
      context_.remember(key, *chosen_);
    }
    record();
    return true;
  }

  void record() const {
    context_.record({shape_.name, pass_of(operation_, shape_.transposed), name_of(operation_),
                     shapes(channels_last_), chosen_->algorithm, chosen_->workspace,
                     chosen_->seconds, chosen_->deterministic});
  }

  std::optional<Candidate> searched(const Operands& operands) const {
    context_.synchronize();
    const SearchSpace space(context_.uncounted());
    std::vector<Candidate> found = measured(operands, space);
    std::optional<Candidate> best = choose(found, kMostWorkspace);
    // What was measured is the convolution alone; the call that rectifies may take it or not.
    while (best && operation_ == Operation::rectified_narrow &&
           launch(operands, *best, space.data()) != CUDNN_STATUS_SUCCESS) {
      std::erase_if(found, [&](const Candidate& one) {
        return one.algorithm == best->algorithm && one.math == best->math;
      });
      best = choose(found, kMostWorkspace);
    }
    return best;
  }

  /// What cuDNN measures; nothing where it refuses the shapes.
  std::vector<Candidate> measured(const Operands& of, const SearchSpace& space) const {
    const Descriptors& d = *descriptors_;
    int count = 0;
    std::vector<Candidate> found;
    const auto keep = [&](cudnnStatus_t status, const auto& performance) {
      if (status != CUDNN_STATUS_SUCCESS) return;
      for (int i = 0; i < count; ++i) {
        found.push_back(candidate_of(performance[static_cast<std::size_t>(i)]));
      }
    };
    if (operation_ == Operation::wide) {
      std::array<cudnnConvolutionBwdDataAlgoPerf_t, kMostAlgorithms> performance{};
      keep(cudnnFindConvolutionBackwardDataAlgorithmEx(
               context_.cudnn(), d.filter(), of.filter, d.narrow(), of.narrow, d.window(), d.wide(),
               of.wide, kMostAlgorithms, &count, performance.data(), space.data(), space.bytes()),
           performance);
    } else if (operation_ == Operation::filter) {
      std::array<cudnnConvolutionBwdFilterAlgoPerf_t, kMostAlgorithms> performance{};
      keep(cudnnFindConvolutionBackwardFilterAlgorithmEx(
               context_.cudnn(), d.wide(), of.wide, d.narrow(), of.narrow, d.window(), d.filter(),
               of.filter, kMostAlgorithms, &count, performance.data(), space.data(), space.bytes()),
           performance);
    } else {
      std::array<cudnnConvolutionFwdAlgoPerf_t, kMostAlgorithms> performance{};
      keep(cudnnFindConvolutionForwardAlgorithmEx(
               context_.cudnn(), d.wide(), of.wide, d.filter(), of.filter, d.window(), d.narrow(),
               of.narrow, kMostAlgorithms, &count, performance.data(), space.data(), space.bytes()),
           performance);
    }
    return found;
  }

  cudnnStatus_t launch(const Operands& of, const Candidate& by, void* workspace) const {
    const Descriptors& d = *descriptors_;
    const float one = 1;
    const float zero = 0;
    const auto bytes = static_cast<std::size_t>(by.workspace);
    // In fp32 the descriptor stays at FMA_MATH, whatever the search reports.
    if (context_.math() != Math::fp32) {
      check(cudnnSetConvolutionMathType(d.window(), static_cast<cudnnMathType_t>(by.math)),
            "cudnnSetConvolutionMathType");
    }
    switch (operation_) {
      case Operation::rectified_narrow:
        return cudnnConvolutionBiasActivationForward(
            context_.cudnn(), &one, d.wide(), of.wide, d.filter(), of.filter, d.window(),
            static_cast<cudnnConvolutionFwdAlgo_t>(by.algorithm), workspace, bytes, &zero,
            d.narrow(), of.narrow, d.rectifier().bias(), of.bias, d.rectifier().function(),
            d.narrow(), of.narrow);
      case Operation::narrow:
        return cudnnConvolutionForward(context_.cudnn(), &one, d.wide(), of.wide, d.filter(),
                                       of.filter, d.window(),
                                       static_cast<cudnnConvolutionFwdAlgo_t>(by.algorithm),
                                       workspace, bytes, &zero, d.narrow(), of.narrow);
      case Operation::wide:
        return cudnnConvolutionBackwardData(
            context_.cudnn(), &one, d.filter(), of.filter, d.narrow(), of.narrow, d.window(),
            static_cast<cudnnConvolutionBwdDataAlgo_t>(by.algorithm), workspace, bytes, &zero,
            d.wide(), of.wide);
      case Operation::filter:
        return cudnnConvolutionBackwardFilter(
            context_.cudnn(), &one, d.wide(), of.wide, d.narrow(), of.narrow, d.window(),
            static_cast<cudnnConvolutionBwdFilterAlgo_t>(by.algorithm), workspace, bytes, &zero,
            d.filter(), of.filter);
    }
    return CUDNN_STATUS_BAD_PARAM;
  }

  bool writes_narrow() const {
    return operation_ == Operation::narrow || operation_ == Operation::rectified_narrow;
  }

  /// Calls use(operands) in the order of the descriptors: with the operands as they are, or with
  /// copies, of which the result is turned back.
  template <class Use>
  void with_operands(const Operands& of, Use use) const {
    if (channels_last_) return use(of);
    const Planes w = planes_of(shape_.geometry.wide);
    const Planes n = planes_of(shape_.narrow);
    const Planes f{shape_.filter.filters, shape_.filter.positions, shape_.filter.channels};
    const Block wide_copy = turned(w, operation_ == Operation::wide ? nullptr : of.wide);
    const Block narrow_copy = turned(n, writes_narrow() ? nullptr : of.narrow);
    const Block filter_copy = turned(f, operation_ == Operation::filter ? nullptr : of.filter);
    use(Operands{wide_copy.data(), narrow_copy.data(), filter_copy.data(), of.bias});
    if (operation_ == Operation::wide) turn_back(w, wide_copy, of.wide);
    if (writes_narrow()) turn_back(n, narrow_copy, of.narrow);
    if (operation_ == Operation::filter) turn_back(f, filter_copy, of.filter);
  }

  Block turned(const Planes& p, const void* values) const {
    Block copy = context_.values(p.elements());
    if (values == nullptr) return copy;
    with_type(context_.element(), [&](auto type) {
      using T = typename decltype(type)::Of;
      to_channels_first(context_.stream(), static_cast<const T*>(values), p.samples, p.channels,
                        p.positions, copy.as<T>());
    });
    return copy;
  }
  void turn_back(const Planes& p, const Block& copy, void* values) const {
    with_type(context_.element(), [&](auto type) {
      using T = typename decltype(type)::Of;
      to_channels_last(context_.stream(), copy.as<T>(), p.samples, p.channels, p.positions,
                       static_cast<T*>(values));
    });
  }

  Context& context_;
  const CorrelationShape& shape_;
  Operation operation_;
  bool channels_last_ = true;
  std::optional<Descriptors> descriptors_;
  std::optional<Candidate> chosen_;
};

Correlation::Correlation(Context& context, CorrelationShape shape)
    : context_(context),
      shape_(std::move(shape)),
      narrow_(std::make_unique<Pass>(
          context, shape_, shape_.rectified ? Operation::rectified_narrow : Operation::narrow)),
      wide_(std::make_unique<Pass>(context, shape_, Operation::wide)),
      filter_(std::make_unique<Pass>(context, shape_, Operation::filter)) {}
Correlation::~Correlation() = default;

// cuDNN's search takes all operands by pointers to non-const, and writes the result's alone.
bool Correlation::narrow_of(const void* wide, const void* filter, void* narrow, const void* bias) {
  return narrow_->run({const_cast<void*>(wide), narrow, const_cast<void*>(filter), bias}) ==
         Operation::rectified_narrow;
}
void Correlation::wide_of(const void* narrow, const void* filter, void* wide) {
  wide_->run({wide, const_cast<void*>(narrow), const_cast<void*>(filter)});
}
void Correlation::filter_of(const void* wide, const void* narrow, void* filter) {
  filter_->run({const_cast<void*>(wide), const_cast<void*>(narrow), filter});
}

}  // namespace oracle::gpu
