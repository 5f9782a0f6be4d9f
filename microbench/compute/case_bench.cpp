#include "microbench/compute/case_bench.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

/// Shorter than this, calls are timed several at a time where they are [s].
constexpr double kShortest = 100e-6;
/// Shorter than this, what a call finds displaced counts [s].
constexpr double kShort = 300e-6;
/// How much more than a gradient a step reads and writes until that memory is a gradient's again:
/// the other gradient of a layer, its input and its output at least.
constexpr std::int64_t kBetweenTwoUses = 4;
/// Of short calls, where no rule wants more.
constexpr std::size_t kLeastShort = 8;
/// Where operands are evicted before each call there need only be as many sets as calls are timed
/// together, which is one of what is large; to make a set takes as long as to time it.
constexpr std::size_t kEvictedSets = 16;
constexpr std::int64_t kEvictedBytes = std::int64_t{32} << 20;
/// Values timed between two looks at the processor's speed.
constexpr std::size_t kBetweenProbes = 8;
/// Slow batches before a series is given up.
constexpr int kMostSlow = 5;

using Ready = std::function<void()>;

/// A loss reads targets too: values of equal extents, or a class for each position.
std::vector<Extents> inputs_of(const Layer& layer, const LayerCase& of) {
  std::vector<Extents> inputs;
  for (const Shape& input : of.inputs) inputs.push_back(extents_of(input, of.samples));
  if (!layer.kind->is_loss) return inputs;
  Extents targets = inputs.front();
  if (layer.kind->name == "softmax_loss") targets.channels = 1;
  inputs.push_back(targets);
  return inputs;
}

LocalLayer local_layer(const Layer& layer, const LayerCase& of) {
  LocalLayer local;
  local.layer = &layer;
  local.inputs = inputs_of(layer, of);
  local.output = extents_of(layer.output, of.samples);
  local.window = layer.window;
  local.groups = layer.groups;
  local.whole = local.output;
  return local;
}

/// Uniform in [-1, 1), from a counter; no value is so small that arithmetic slows down.
std::vector<float> values_for(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint64_t state = 1;
  for (float& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(state >> 40) / static_cast<float>(1 << 23) - 1.0F;
  }
  return values;
}

/// Of calls that take much longer to prepare than to run.
StopRule by_number(StopRule rule) {
  rule.least = std::max(rule.least, kLeastShort);
  rule.least_seconds = 0;
  return rule;
}

OptimizerStep optimizer_step(const std::string& name) {
  OptimizerStep step;
  step.rate = 1e-6;
  if (name != "sgd") step.momentum = 0.9;
  if (name == "adam") step.second_moment = 0.999;
  return step;
}

/// Whether a step makes the output in the first input's memory, and the gradient of that input in
/// the output gradient's.
bool in_place(const LocalLayer& local) {
  return local.layer->in_place && local.inputs.front() == local.output;
}

/// What a step keeps between passes, for one call.
struct OperandSet {
  std::vector<std::unique_ptr<Tensor>> inputs;
  std::unique_ptr<Tensor> output;  ///< none where the first input is overwritten
  std::unique_ptr<Saved> saved;
  std::unique_ptr<Weights> weights;
};

bool sums_maps(const Layer& layer) {
  return layer.kind->name == "add" && layer.spatial_rank > 1 && layer.input[Axis::sequence] == 1;
}

/// A convolution without bias, which stands before a batch norm. Depthwise ones stand before others
/// as well.
bool before_batch_norm(const Layer& layer) {
  return layer.kind->name.find("convolution") != std::string_view::npos &&
         layer.weights.size() == 1 && layer.mixing != Mixing::channelwise;
}

}  // namespace

std::vector<BenchPass> passes_of(const Layer& layer) {
  std::vector<BenchPass> passes{{Pass::forward, {}}, {Pass::backward_data, {}}};
  // A batch norm makes all gradients in one pass.
  if (layer.trainable() && !layer.batch_statistics) passes.push_back({Pass::backward_weights, {}});
  // An update knows no kinds: the weights of dense layers stand for all.
  if (layer.kind->name == "dense") {
    for (const char* optimizer : {"momentum", "sgd", "adam"}) {
      passes.push_back({Pass::update, optimizer});
    }
  }
  if (layer.kind->name == "add") passes.push_back({Pass::gradient_sum, {}});
  return passes;
}

bool follows_others(const Layer& layer, Pass pass) {
  const std::string_view kind = layer.kind->name;
  if (pass == Pass::forward) return kind == "batch_norm";
  return pass == Pass::backward_data && (kind == "pool" || kind == "dropout");
}

class CaseBench::Impl {
 public:
  Impl(Backend& backend, const LayerCase& of, const Rotation& rotation)
      : backend_(backend),
        case_(of),
        layer_(layer_of(of)),
        local_(local_layer(layer_, of)),
        kernel_(backend.kernel(local_)),
        sets_(sets_for(rotation)) {
    std::int64_t longest = local_.output.elements();
    for (const Extents& input : local_.inputs) longest = std::max(longest, input.elements());
    const std::vector<float> values = values_for(longest);
    for (OperandSet& set : sets_) make(set, values);
    output_gradient_ = filled(between_layers(local_.output), values);
    const std::vector<float> zeros(static_cast<std::size_t>(longest), 0.0F);
    const std::size_t written = layer_.joined_channels > 0 ? local_.inputs.size() : 1;
    for (std::size_t i = 0; i < written; ++i) zeros_.push_back(filled(as_input(i), zeros));
    zero_gradient_ = filled(between_layers(local_.output), zeros);
    behind_ = filled(between_layers(local_.output), zeros);
    for (const BenchPass& pass : passes_of(layer_)) {
      for (OperandSet& set : sets_) run(pass, set);
    }
  }

  bool time(const BenchPass& pass, Clock clock, const StopRule& rule, SpeedGuard& guard,
            Series& series) {
    const double estimate = shorter_of_two(pass, clock);
    const bool short_calls = backend_.evicts() && estimate < kShort;
    const int calls = short_calls ? 1 : calls_for(estimate);
    const StopRule own = short_calls ? by_number(rule) : rule;
    const double begin = now(Clock::wall);
    const auto done = [&] {
      return short_calls ? series.done(own, now(Clock::wall) - begin) : series.done(own);
    };
    int slow = 0;
    while (!done() && slow < kMostSlow) {
      std::vector<double> batch;
      double seconds = 0;
      do {
        batch.push_back(short_calls ? after_others(pass, clock) : once(pass, clock, calls));
        seconds += batch.back() * calls;
      } while (batch.size() < kBetweenProbes && (short_calls || seconds < rule.least_seconds));
      if (!guard.at_speed()) {
        ++slow;
        continue;
      }
      // The rate is the processor's, which a device's time does not follow.
      const double speed = clock == Clock::processor ? guard.latest() : 1;
      for (const double value : batch) series.add(value, speed);
    }
    return !series.values().empty();
  }

  double once(const BenchPass& pass, Clock clock, int calls, const Ready& ready = {}) {
    for (int call = 1; call <= calls; ++call) cool(pass, ahead(call));
    return prepared(pass, clock, calls, ready);
  }

  /// Seconds of one call whose code and arguments other layers displaced.
  double after_others(const BenchPass& pass, Clock clock) {
    if (rehearsal_ == nullptr) {
      LayerCase other = case_;
      other.samples = case_.samples == 1 ? 2 : 1;
      rehearsal_ = std::make_unique<Impl>(backend_, other, Rotation{0, 2});
    }
    cool(pass, ahead(1));
    backend_.evict_rest();
    rehearsal_->run(pass, rehearsal_->next());
    backend_.evict_own(backend_.cache_bytes());
    return prepared(pass, clock, 1, {});
  }

  double prepared(const BenchPass& pass, Clock clock, int calls, const Ready& ready) {
    for (int call = 1; call <= calls; ++call) warm(pass, ahead(call));
    if (follows_others(layer_, pass.pass)) backend_.evict_own(read_between(pass));
    backend_.synchronize();
    if (ready) ready();
    // The first look at a clock takes longer.
    now(clock);
    const double begin = now(clock);
    for (int call = 0; call < calls; ++call) run(pass, next());
    backend_.synchronize();
    return (now(clock) - begin) / calls;
  }

  int calls_at_a_time(const BenchPass& pass, Clock clock) {
    return calls_for(shorter_of_two(pass, clock));
  }

 private:
  int calls_for(double estimate) const {
    if (estimate >= kShortest) return 1;
    const double calls = std::ceil(kShortest / std::max(estimate, 1e-9));
    return static_cast<int>(std::min(calls, static_cast<double>(sets_.size())));
  }

  double shorter_of_two(const BenchPass& pass, Clock clock) {
    return std::min(once(pass, clock, 1), once(pass, clock, 1));
  }

  std::size_t sets_for(const Rotation& rotation) const {
    std::int64_t elements = local_.output.elements() + 2 * layer_.parameters();
    for (const Extents& input : local_.inputs) elements += input.elements();
    const std::int64_t bytes =
        elements * static_cast<std::int64_t>(element_bytes(backend_.element()));
    const bool evicts = backend_.evicts();
    const std::int64_t all = evicts ? std::min(rotation.bytes, kEvictedBytes) : rotation.bytes;
    const auto sets = static_cast<std::size_t>(all / std::max<std::int64_t>(bytes, 1));
    const std::size_t most = evicts ? kEvictedSets : rotation.most_sets;
    return std::clamp<std::size_t>(sets + 1, 2, std::min(most, rotation.most_sets));
  }

  static std::unique_ptr<Tensor> filled(std::unique_ptr<Tensor> tensor,
                                        const std::vector<float>& values) {
    tensor->write({{0, 0, 0, 0, 0}, tensor->extents()}, values.data());
    return tensor;
  }

  void make(OperandSet& set, const std::vector<float>& values) {
    for (std::size_t i = 0; i < local_.inputs.size(); ++i) {
      set.inputs.push_back(filled(as_input(i), read_by(i, values)));
    }
    set.saved = kernel_->saved();
    set.weights = backend_.weights(local_);
    for (std::size_t index = 0; index < layer_.weights.size(); ++index) {
      const std::int64_t count = set.weights->elements(index);
      if (static_cast<std::size_t>(count) <= values.size()) {
        set.weights->write(index, values.data());
      } else {
        set.weights->write(index, values_for(count).data());
      }
    }
  }

  /// Targets and the numbers that are looked up are fp32 on any back end.
  std::unique_ptr<Tensor> as_input(std::size_t input) {
    const bool fp32 = !wanted(input) || layer_.looks_up;
    const Extents& extents = local_.inputs[input];
    return fp32 ? backend_.fp32_tensor(extents) : between_layers(extents);
  }

  /// Sequences do not come from convolutions.
  std::unique_ptr<Tensor> between_layers(const Extents& extents) const {
    const bool maps = case_.spatial_rank > 1 && layer_.input[Axis::sequence] == 1;
    return maps ? backend_.tensor_between_layers(extents) : backend_.tensor(extents);
  }

  /// Every target is the first class; rows of a table are looked up all over it.
  std::vector<float> read_by(std::size_t input, std::vector<float> values) const {
    const bool target = !wanted(input);
    const bool number = layer_.looks_up;
    const auto entries =
        static_cast<float>(number ? layer_.weights.front().elements / layer_.output.channels() : 1);
    for (float& value : values) {
      if (target) value = 0;
      if (number) value = std::floor((value + 1) / 2 * entries);
    }
    return values;
  }

  /// Whether the gradient of an input is asked for: not that of targets.
  bool wanted(std::size_t input) const { return !(layer_.kind->is_loss && input == 1); }

  void run(const BenchPass& pass, OperandSet& set) {
    if (pass.pass == Pass::update)
      return backend_.update(*set.weights, optimizer_step(pass.optimizer));
    if (pass.pass == Pass::gradient_sum) return backend_.add(*set.inputs[0], *set.inputs[1]);
    std::vector<Tensor*> inputs, gradients;
    for (const auto& input : set.inputs) inputs.push_back(input.get());
    if (pass.pass == Pass::forward && !in_place(local_)) {
      set.output.reset();
      set.output = layer_.kind->is_loss ? backend_.fp32_tensor(local_.output)
                                        : backend_.tensor(local_.output);
    }
    std::vector<std::unique_ptr<Tensor>> made;
    if (pass.pass == Pass::backward_data) {
      for (std::size_t i = 0; i < local_.inputs.size(); ++i) {
        const bool anew = wanted(i) && !(i == 0 && in_place(local_));
        made.push_back(anew ? backend_.tensor(local_.inputs[i]) : nullptr);
        gradients.push_back(made.back().get());
      }
      if (in_place(local_)) gradients.front() = output_gradient_.get();
    }
    Call call;
    call.inputs = inputs;
    call.input_gradients = gradients;
    call.output = &output_of(set);
    call.output_gradient = output_gradient_.get();
    call.weights = set.weights.get();
    call.saved = set.saved.get();
    call.gradient_scale = 1;
    call.seed = 1;
    if (pass.pass == Pass::forward) return kernel_->forward(call);
    set.weights->begin_step();
    if (pass.pass == Pass::backward_data) return kernel_->backward_data(call);
    return kernel_->backward_weights(call);
  }

  OperandSet& ahead(int calls) {
    return sets_[(turn_ + static_cast<std::size_t>(calls)) % sets_.size()];
  }
  OperandSet& next() {
    OperandSet& set = ahead(1);
    turn_ = (turn_ + 1) % sets_.size();
    return set;
  }

  /// What a step has kept since long, and the memory of a large gradient of some layers ago.
  void cool(const BenchPass& pass, OperandSet& set) {
    const bool of_gradients = pass.pass == Pass::gradient_sum;
    for (const auto& input : set.inputs) {
      if (!of_gradients || dies_in_memory()) backend_.evict(*input);
    }
    if (set.output != nullptr) backend_.evict(*set.output);
    backend_.evict(*set.weights);
    if (weights_die_in_memory()) evict_copy_of_weights();
    if (in_place(local_) || of_gradients || !dies_in_memory()) return;
    backend_.evict(*between_layers(local_.inputs.front()));
  }

  /// What a pass reorders weights into, and their gradient from, lies where others lay long ago.
  bool weights_die_in_memory() const {
    const std::int64_t bytes = layer_.parameters() * std::int64_t{sizeof(float)};
    return backend_.evicts() && kBetweenTwoUses * bytes > backend_.cache_bytes();
  }

  void evict_copy_of_weights() {
    const auto placed_before = backend_.tensor(local_.inputs.front());
    backend_.evict(*backend_.fp32_tensor({1, layer_.parameters(), 1, 1, 1}));
  }

  /// Whether a gradient of the input is so large that no cache holds it until its memory is used
  /// again, or it is added to another.
  bool dies_in_memory() const { return kBetweenTwoUses * input_bytes() > backend_.cache_bytes(); }

  /// Bytes: about as many as a convolution leaves it reads meanwhile; backward, of the layer behind
  /// with its weights and their gradient, whatever a core's own caches hold.
  std::int64_t read_between(const BenchPass& pass) const {
    return pass.pass == Pass::forward ? input_bytes() : backend_.cache_bytes();
  }

  /// Of the first.
  std::int64_t input_bytes() const {
    return local_.inputs.front().elements() *
           static_cast<std::int64_t>(element_bytes(backend_.element()));
  }

  Tensor& output_of(OperandSet& set) {
    return in_place(local_) ? *set.inputs.front() : *set.output;
  }

  /// What the layer before wrote last, and what the one after read last in its backward: its input.
  void warm(const BenchPass& pass, OperandSet& set) {
    if (pass.pass == Pass::forward) warm_inputs(set);
    if (pass.pass == Pass::gradient_sum) backend_.add(*set.inputs.back(), *zeros_.front());
    if (pass.pass == Pass::backward_data) warm_gradients(set);
    if (pass.pass == Pass::backward_weights) {
      warm_gradients(set);
      if (backend_.evicts()) run({Pass::backward_data, {}}, set);
    }
  }

  /// Layers have run since all but the last were written. A sum of maps is of what a batch norm
  /// leaves past the caches, and of what its block was given.
  void warm_inputs(OperandSet& set) {
    if (sums_maps(layer_)) {
      if (dies_in_memory()) return;
      backend_.add(*set.inputs.back(), *zeros_.front());
      backend_.evict_own(backend_.cache_bytes());
      return;
    }
    for (std::size_t i = 0; i < zeros_.size(); ++i) {
      if (i > 0 && i + 1 == zeros_.size()) backend_.evict_own(backend_.cache_bytes());
      backend_.add(*set.inputs[i], *zeros_[i]);
    }
  }

  /// A batch norm writes past the caches; after it only what it was given itself is in them.
  void warm_gradients(OperandSet& set) {
    if (before_batch_norm(layer_) && backend_.evicts()) {
      backend_.add(*behind_, *zero_gradient_);
      backend_.evict(*output_gradient_);
    } else {
      backend_.add(*output_gradient_, *zero_gradient_);
    }
    if (layer_.keeps_output) backend_.add(*behind_, output_of(set));
  }

  Backend& backend_;
  LayerCase case_;
  Layer layer_;
  LocalLayer local_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<OperandSet> sets_;
  std::unique_ptr<Tensor> output_gradient_;
  /// Adding them writes again: of the inputs that the layer before writes, and of the output.
  std::vector<std::unique_ptr<Tensor>> zeros_;
  std::unique_ptr<Tensor> zero_gradient_;
  /// A gradient that the layer behind was given: its weights' gradient reads it with the output.
  std::unique_ptr<Tensor> behind_;
  std::unique_ptr<Impl> rehearsal_;  ///< made when it is needed first
  std::size_t turn_ = 0;
};

CaseBench::CaseBench(Backend& backend, const LayerCase& of, const Rotation& rotation)
    : impl_(std::make_unique<Impl>(backend, of, rotation)) {}
CaseBench::~CaseBench() = default;

bool CaseBench::time(const BenchPass& pass, Clock clock, const StopRule& rule, SpeedGuard& guard,
                     Series& series) {
  return impl_->time(pass, clock, rule, guard, series);
}

int CaseBench::calls_at_a_time(const BenchPass& pass, Clock clock) {
  return impl_->calls_at_a_time(pass, clock);
}
double CaseBench::once(const BenchPass& pass, Clock clock, int calls, const Ready& ready) {
  return impl_->once(pass, clock, calls, ready);
}

}  // namespace oracle
