#include "microbench/kernels/gpu/device/products/correlation.h"

#include <array>
#include <utility>
#include <vector>

#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "microbench/kernels/gpu/device/products/convolution_calls.h"
#include "microbench/kernels/gpu/device/products/convolution_plans.h"
#include "microbench/kernels/gpu/device/runtime/stopwatch.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

/// Of an engine, after one that warms it up.
constexpr int kTimedRuns = 3;

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
      terms_ = terms_of(shape_, context_.element(), channels_last);
      calls_.emplace(terms_, context_.math());
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
    const std::string key = std::string(name_of(operation_)) + " " + shapes(terms_.channels_last);
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
    context_.record({shape_.name, pass_of(operation_, shape_.transposed),
                     chosen_->plan != nullptr ? "cudnnBackendExecute" : name_of(operation_),
                     shapes(terms_.channels_last), chosen_->algorithm, chosen_->workspace,
                     chosen_->seconds, chosen_->deterministic});
  }

  std::optional<Candidate> searched(const Operands& operands) const {
    context_.synchronize();
    const SearchSpace space(context_.uncounted());
    std::vector<Candidate> found =
        calls_->measured(context_.cudnn(), operation_, operands, space.data(), space.bytes());
    if (operation_ != Operation::rectified_narrow) add_engines(operands, space, found);
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

  /// Those that run, each timed.
  void add_engines(const Operands& operands, const SearchSpace& space,
                   std::vector<Candidate>& found) const {
    const auto stopwatch = event_stopwatch(context_);
    for (const auto& plan : plans_of(context_.cudnn(), operation_, terms_, context_.math())) {
      const auto run = [&] { return plan->run(context_.cudnn(), operands, space.data()); };
      if (plan->workspace() > static_cast<std::int64_t>(space.bytes())) continue;
      if (run() != CUDNN_STATUS_SUCCESS) continue;
      stopwatch->reset();
      const auto begin = stopwatch->mark();
      for (int i = 0; i < kTimedRuns; ++i) check(run(), "cudnnBackendExecute");
      const auto end = stopwatch->mark();
      context_.synchronize();
      found.push_back({.algorithm = plan->engine(),
                       .works = true,
                       .deterministic = plan->deterministic(),
                       .seconds = stopwatch->seconds(begin, end) / kTimedRuns,
                       .workspace = plan->workspace(),
                       .plan = plan});
    }
  }

  cudnnStatus_t launch(const Operands& of, const Candidate& by, void* workspace) const {
    return by.plan != nullptr ? by.plan->run(context_.cudnn(), of, workspace)
                              : calls_->run(context_.cudnn(), operation_, of, by, workspace);
  }

  bool writes_narrow() const {
    return operation_ == Operation::narrow || operation_ == Operation::rectified_narrow;
  }

  /// Calls use(operands) in the order of the descriptors: with the operands as they are, or with
  /// copies, of which the result is turned back.
  template <class Use>
  void with_operands(const Operands& of, Use use) const {
    if (terms_.channels_last) return use(of);
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
  ConvolutionTerms terms_;
  std::optional<ConvolutionCalls> calls_;
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
