// Recurrent layers: LSTM, GRU and plain, in one direction or both (recurrent_cells.h), from states
// of zeros. What waits for no other token is one product of oneDNN's for each sample: sums over the
// inputs, and all gradients once the slopes are there. R·h is one for each token, with the samples
// for its rows. oneDNN's own rnn primitives are not used: they make the gradients of data and of
// weights in one pass, in room that no plan knows.
//
// By direction, W is [gates·h, channels], R [gates·h, h], the bias one vector of gates·h for W and
// one for R. Rows of gates, and of slopes, lie by sample and token. Both passes of backward form
// the slopes.

#include <algorithm>
#include <optional>
#include <vector>

#include "microbench/kernels/cpu/arrays.h"
#include "microbench/kernels/cpu/batched_product.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/recurrent_cells.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::size_t kGateWeight = 0, kGateRecurrence = 1, kGateBias = 2;

struct GateRows final : Saved {
  MemoryBlock values;  ///< by direction, sample, token
};

/// One matrix whose columns lie side by side, `apart` from row to row.
Matrices matrix(std::int64_t rows, std::int64_t columns, std::int64_t apart) {
  return {1, rows, columns, rows * apart, apart, 1};
}

/// Of one part of W: x is [channels, tokens], `rows` and `slopes` [tokens, the part's features].
struct InputProducts {
  InputProducts(const Context& context, const Matrices& x, const Matrices& w, const Matrices& rows,
                const Matrices& slopes)
      : sums(context, x.turned(), w.turned(), rows, true),
        data(context, w.turned(), slopes.turned(), x),
        more_data(context, w.turned(), slopes.turned(), x, true),
        weights(context, slopes.turned(), x.turned(), w),
        more_weights(context, slopes.turned(), x.turned(), w, true) {}

  BatchedProduct sums, data, more_data, weights, more_weights;
};

class Recurrent final : public CpuKernel {
 public:
  Recurrent(Context& context, const LocalLayer& layer)
      : context_(context),
        cell_(recurrent_cell(layer.layer->variant)),
        samples_(layer.output.samples),
        tokens_(layer.output.depth * layer.output.height * layer.output.width),
        channels_(layer.inputs[0].channels),
        outputs_(layer.output.channels),
        features_(layer.layer->weights[kGateRecurrence].elements / (cell_.gates * outputs_)),
        directions_(outputs_ / features_),
        biased_(layer.layer->weights.size() > kGateBias),
        features_of_token_(static_cast<std::size_t>(features_)),
        zeros_(static_cast<std::size_t>(features_), 0.0F) {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<GateRows>(); }

  void forward(const Call& call) override {
    bind();
    cpu(call.output).release();
    const float* x = plain_floats(call.inputs[0]);
    float* y = fresh_floats(call.output);
    float* rows = place_rows(call);
    const MemoryBlock states = room(features_);
    for (std::int64_t d = 0; d < directions_; ++d, rows += samples_ * sample_rows()) {
      sum_inputs(call, d, x, rows);
      walk(call, d, rows, states.floats(), y);
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    bind();
    cpu(call.input_gradients[0]).release();
    const float* w = cpu(call.weights).vector(kGateWeight);
    bool first = true;
    float* dx = nullptr;
    for_each_direction(call, [&](std::int64_t d, const float* slopes) {
      if (dx == nullptr) dx = fresh_floats(call.input_gradients[0]);
      for (std::size_t p = 0; p < inputs_.size(); ++p, first = false) {
        const BatchedProduct& product = first ? inputs_[p].data : inputs_[p].more_data;
        for (std::int64_t n = 0; n < samples_; ++n) {
          product.run(context_, w + part_of_w(d, p), slopes + n * sample_slopes() + column(p),
                      dx + n * channels_ * tokens_);
        }
      }
    });
  }

  void backward_weights(const Call& call) override {
    bind();
    const float *x = plain_floats(call.inputs[0]), *y = plain_floats(call.output);
    CpuWeights& weights = cpu(call.weights);
    GradientWriter input = writer(weights, kGateWeight),
                   recurrence = writer(weights, kGateRecurrence);
    std::optional<GradientWriter> bias;
    if (biased_) bias.emplace(writer(weights, kGateBias));
    for_each_direction(call, [&](std::int64_t d, const float* slopes) {
      for (std::size_t p = 0; p < inputs_.size(); ++p) {
        for (std::int64_t n = 0; n < samples_; ++n) {
          (n == 0 ? inputs_[p].weights : inputs_[p].more_weights)
              .run(context_, slopes + n * sample_slopes() + column(p), x + n * channels_ * tokens_,
                   input.data() + part_of_w(d, p));
        }
      }
      sum_recurrence(d, slopes, y, recurrence.data() + d * gates() * features_);
      if (biased_) sum_bias(slopes, bias->data() + d * 2 * gates());
    });
    input.commit();
    recurrence.commit();
    if (bias) bias->commit();
  }

 private:
  std::int64_t gates() const { return cell_.gates * features_; }
  std::int64_t row() const { return cell_.blocks * features_; }
  std::int64_t slope_row() const { return cell_.slopes * features_; }
  std::int64_t sample_rows() const { return tokens_ * row(); }
  std::int64_t sample_slopes() const { return tokens_ * slope_row(); }
  std::int64_t part_of_w(std::int64_t direction, std::size_t part) const {
    return (direction * gates() + cell_.inputs[part].first * features_) * channels_;
  }
  std::int64_t column(std::size_t part) const { return cell_.inputs[part].column * features_; }
  /// Which token a direction comes to at a step.
  std::int64_t token(std::int64_t direction, std::int64_t step) const {
    return direction == 0 ? step : tokens_ - 1 - step;
  }

  void bind() {
    if (!inputs_.empty()) return;
    const Matrices x = matrix(channels_, tokens_, tokens_);
    for (const InputPart& part : cell_.inputs) {
      const std::int64_t width = part.count * features_;
      inputs_.emplace_back(context_, x, matrix(width, channels_, channels_),
                           matrix(tokens_, width, row()), matrix(tokens_, width, slope_row()));
    }
    const Matrices states = matrix(samples_, features_, features_);
    const Matrices r = matrix(gates(), features_, features_);
    next_.emplace(context_, states, r.turned(), matrix(samples_, gates(), sample_rows()), true);
    back_.emplace(context_, matrix(samples_, gates(), sample_slopes()), r, states, true);
    if (tokens_ == 1) return;
    const Matrices slopes = matrix(tokens_ - 1, gates(), slope_row()).turned();
    const Matrices y = matrix(features_, tokens_ - 1, tokens_).turned();
    recurrence_.emplace(context_, slopes, y, r);
    more_recurrence_.emplace(context_, slopes, y, r, true);
  }

  MemoryBlock room(std::int64_t floats_of_sample) {
    return context_.allocator().allocate(samples_ * floats_of_sample *
                                         static_cast<std::int64_t>(sizeof(float)));
  }

  float* place_rows(const Call& call) {
    MemoryBlock& values = rows_of(call).values;
    if (values.data() == nullptr) values = room(directions_ * sample_rows());
    return values.floats();
  }

  static GateRows& rows_of(const Call& call) {
    auto* rows = dynamic_cast<GateRows*>(call.saved);
    ensure(rows != nullptr, "a recurrent layer runs without a place for its gates");
    return *rows;
  }

  /// W·x + b of a direction.
  void sum_inputs(const Call& call, std::int64_t d, const float* x, float* rows) {
    const CpuWeights& weights = cpu(call.weights);
    const std::vector<float> begin = biases(weights, d);
    for (std::int64_t i = 0; i < samples_ * tokens_; ++i) {
      std::copy(begin.begin(), begin.end(), rows + i * row());
    }
    for (std::size_t p = 0; p < inputs_.size(); ++p) {
      for (std::int64_t n = 0; n < samples_; ++n) {
        inputs_[p].sums.run(context_, x + n * channels_ * tokens_,
                            weights.vector(kGateWeight) + part_of_w(d, p),
                            rows + n * sample_rows() + column(p));
      }
    }
  }

  /// What a row begins with: both biases where W and R are added up, else each its own.
  std::vector<float> biases(const CpuWeights& weights, std::int64_t d) const {
    std::vector<float> begin(static_cast<std::size_t>(row()), 0.0F);
    if (!biased_) return begin;
    const float* of_w = weights.vector(kGateBias) + d * 2 * gates();
    for (std::size_t p = 0; p < cell_.inputs.size(); ++p) {
      const InputPart& part = cell_.inputs[p];
      add_to(begin.data() + column(p), of_w + part.first * features_, part.count * features_);
    }
    add_to(begin.data(), of_w + gates(), gates());
    return begin;
  }

  void walk(const Call& call, std::int64_t d, float* rows, float* states, float* y) {
    const float* r = cpu(call.weights).vector(kGateRecurrence) + d * gates() * features_;
    std::fill_n(states, samples_ * features_, 0.0F);
    for (std::int64_t s = 0; s < tokens_; ++s) {
      const std::int64_t t = token(d, s);
      if (s > 0) next_->run(context_, states, r, rows + t * row());
      for (std::int64_t n = 0; n < samples_; ++n) {
        float* state = states + n * features_;
        float* sample = rows + n * sample_rows();
        cell_.step({sample + t * row(), cell_before(sample, d, s), state}, features_);
        float* to = y + (n * outputs_ + d * features_) * tokens_ + t;
        for (std::int64_t j = 0; j < features_; ++j) to[j * tokens_] = state[j];
      }
    }
  }

  const float* cell_before(const float* sample, std::int64_t d, std::int64_t s) const {
    if (!cell_.has_cell || s == 0) return zeros_.data();
    return sample + token(d, s - 1) * row() + row() - features_;
  }

  /// Calls visit(direction, slopes) for each, in one memory.
  template <class Visit>
  void for_each_direction(const Call& call, Visit visit) {
    // A copy in another order is gone before the slopes come.
    const float *y = plain_floats(call.output), *dy = plain_floats(call.output_gradient);
    const MemoryBlock slopes = room(sample_slopes());
    const float* rows = rows_of(call).values.floats();
    for (std::int64_t d = 0; d < directions_; ++d, rows += samples_ * sample_rows()) {
      walk_back(call, d, rows, y, dy, slopes.floats());
      visit(d, slopes.floats());
    }
  }

  void walk_back(const Call& call, std::int64_t d, const float* rows, const float* y,
                 const float* dy, float* slopes) {
    const float* r = cpu(call.weights).vector(kGateRecurrence) + d * gates() * features_;
    const MemoryBlock states = room(features_ * (cell_.has_cell ? 2 : 1));
    float *dh = states.floats(), *dc = dh + samples_ * features_;
    std::fill_n(dh, states.bytes() / static_cast<std::int64_t>(sizeof(float)), 0.0F);
    for (std::int64_t s = tokens_; s-- > 0;) {
      const std::int64_t t = token(d, s);
      for (std::int64_t n = 0; n < samples_; ++n) {
        const std::int64_t at = (n * outputs_ + d * features_) * tokens_;
        float* of_state = dh + n * features_;
        add_to(of_state, of_token(dy + at + t), features_);
        const float* sample = rows + n * sample_rows();
        const float* before = s == 0 ? zeros_.data() : of_token(y + at + token(d, s - 1));
        cell_.back({sample + t * row(), cell_before(sample, d, s), before, of_state,
                    cell_.has_cell ? dc + n * features_ : nullptr,
                    slopes + n * sample_slopes() + t * slope_row()},
                   features_);
      }
      if (s > 0) back_->run(context_, slopes + t * slope_row(), r, dh);
    }
  }

  /// The features of one token, side by side.
  const float* of_token(const float* from) {
    for (std::int64_t j = 0; j < features_; ++j) {
      features_of_token_[static_cast<std::size_t>(j)] = from[j * tokens_];
    }
    return features_of_token_.data();
  }

  /// dR = Σ ds[t]·h[t−1]: a direction's slopes but for its first token's, its states but the last.
  void sum_recurrence(std::int64_t d, const float* slopes, const float* y, float* gradient) {
    if (tokens_ == 1) {
      std::fill_n(gradient, gates() * features_, 0.0F);
      return;
    }
    const std::int64_t second = d == 0 ? 1 : 0, first = 1 - second;
    for (std::int64_t n = 0; n < samples_; ++n) {
      const float* states = y + (n * outputs_ + d * features_) * tokens_ + first;
      (n == 0 ? recurrence_ : more_recurrence_)
          ->run(context_, slopes + n * sample_slopes() + second * slope_row(), states, gradient);
    }
  }

  void sum_bias(const float* slopes, float* gradient) const {
    std::vector<double> sums(static_cast<std::size_t>(slope_row()), 0);
    for (std::int64_t i = 0; i < samples_ * tokens_; ++i, slopes += slope_row()) {
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += double{slopes[j]};
    }
    const auto write = [&](float* to, std::int64_t from, std::int64_t count) {
      std::transform(sums.begin() + from, sums.begin() + from + count, to,
                     [](double sum) { return static_cast<float>(sum); });
    };
    for (std::size_t p = 0; p < cell_.inputs.size(); ++p) {
      const InputPart& part = cell_.inputs[p];
      write(gradient + part.first * features_, column(p), part.count * features_);
    }
    write(gradient + gates(), 0, gates());
  }

  GradientWriter writer(CpuWeights& weights, std::size_t index) {
    return {context_,
            weights,
            index,
            {{weights.elements(index)}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a}};
  }

  Context& context_;
  const RecurrentCell& cell_;
  std::int64_t samples_, tokens_, channels_, outputs_, features_, directions_;
  bool biased_;
  std::vector<InputProducts> inputs_;
  std::optional<BatchedProduct> next_, back_, recurrence_, more_recurrence_;
  std::vector<float> features_of_token_, zeros_;
};

}  // namespace

std::unique_ptr<Kernel> make_recurrent(Context& context, const LocalLayer& layer) {
  const Layer& whole = *layer.layer;
  if (whole.inputs.size() > 1 || layer.inputs.size() > 1) {
    throw InputError(whole.name,
                     "it starts from states that other layers make, and runs from zeros",
                     "train a network whose recurrent layers start from zeros");
  }
  for (const Weight& weight : whole.weights) {
    if (weight.name != "peepholes") continue;
    throw InputError(whole.name, "its gates see the cell (\"peepholes\"), which has no kernel",
                     "train it without");
  }
  return std::make_unique<Recurrent>(context, layer);
}

}  // namespace oracle
