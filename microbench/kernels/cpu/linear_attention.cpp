// Linear attention, by the rules of oracle/graph/kinds/linear_attention.cpp, position by position.
// Backward goes back from the last position with D = dL/dS, and with the state before it, S' = αS:
//   dq = S·dy,  D += q·dyᵀ,  dk = D·u,  du = Dᵀ·k            S = S' + k·uᵀ
//   delta   u = β·(v − S'ᵀk):   dv = β·du,  dk −= S'·dv,  D −= k·dvᵀ,  dβ = du·(v − S'ᵀk)
//   decay   u = δ·v:            dv = δ·du + d·dy,  dδ = du·v,  dd = v·dy
//   dα = Σ D∘S,  D := αD
// Forward keeps both gates. Backward keeps a state for each chunk of positions, and forms those
// within a chunk again. All on plain memory, where a channel's positions lie side by side, and in
// double but for what is kept.

#include <algorithm>
#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/logistic.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::size_t kDecayWeight = 0, kStepWeight = 1, kSkipWeight = 2;
constexpr std::size_t kDecayInput = 3, kWritingInput = 4;
constexpr double kLengthEpsilon = 1e-6;

struct BothGates final : Saved {
  MemoryBlock values;  ///< by sample and head: α of each position, then β or δ
};

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

/// Features of one position's head, as they come and as they are used.
struct HeadRow {
  std::vector<double> raw, used;
  double scale = 1;   ///< used = scale·raw
  double length = 0;  ///< squared, of raw; 0: the scale does not depend on it

  /// What `gradient` of the used ones is of the raw ones.
  void back(std::vector<double>& gradient) const {
    double along = 0;
    if (length > 0) {
      for (std::size_t i = 0; i < raw.size(); ++i) along += raw[i] * gradient[i];
      along /= length;
    }
    for (std::size_t i = 0; i < raw.size(); ++i) {
      gradient[i] = scale * (gradient[i] - along * raw[i]);
    }
  }
};

/// Of one head of values in one sample.
struct HeadPlace {
  std::int64_t row, head;         ///< among all samples' heads, and among the rank's
  std::int64_t key, value, gate;  ///< first elements
};

/// Sums over samples and positions, by head.
struct TrainedSums {
  std::vector<double> decay, step, skip;
};

class LinearAttention final : public CpuKernel {
 public:
  LinearAttention(Context& context, const LocalLayer& layer) : context_(context) {
    const Layer& whole = *layer.layer;
    const Heads& heads = whole.heads;
    delta_ = whole.variant == "delta";
    keys_ = whole.input.channels() / heads.keys;
    values_ = whole.output.channels() / heads.values;
    shared_ = heads.values / heads.keys;
    positions_ = layer.output.width;
    heads_ = layer.output.channels / values_;
    chunk_ = std::min(heads.chunk, positions_);
    for (HeadRow* row : {&q_, &k_}) {
      row->raw.resize(static_cast<std::size_t>(keys_));
      row->used.resize(static_cast<std::size_t>(keys_));
    }
    for (auto* row : {&v_, &u_, &dy_, &rest_, &du_}) row->resize(static_cast<std::size_t>(values_));
    for (auto* row : {&dq_, &dk_}) row->resize(static_cast<std::size_t>(keys_));
  }

  std::unique_ptr<Saved> saved() const override { return std::make_unique<BothGates>(); }

  void forward(const Call& call) override {
    float* gates = place_gates(call);
    form_gates(call, gates);
    float* y = fresh_floats(call.output);
    const float* skip = delta_ ? nullptr : cpu(call.weights).vector(kSkipWeight);
    std::vector<double> state(static_cast<std::size_t>(keys_ * values_));
    for_each_head(call, [&](const HeadPlace& at) {
      std::fill(state.begin(), state.end(), 0.0);
      for (std::int64_t p = 0; p < positions_; ++p) {
        advance(at, gates, p, state);
        for (std::int64_t j = 0; j < values_; ++j) {
          double total = delta_ ? 0 : double{skip[at.head]} * of(v_, j);
          for (std::int64_t i = 0; i < keys_; ++i) {
            total += of(q_.used, i) * of(state, i * values_ + j);
          }
          y[at.value + j * positions_ + p] = static_cast<float>(total);
        }
      }
    });
  }

  void backward_data(const Call& call) override {
    const auto zeros = [](Tensor* tensor) {
      if (tensor == nullptr) return static_cast<float*>(nullptr);
      float* to = fresh_floats(tensor);
      cpu(tensor).zero();
      return to;
    };
    Sinks to;
    to.q = zeros(call.input_gradients[0]);
    to.k = zeros(call.input_gradients[1]);
    to.v = zeros(call.input_gradients[2]);
    to.decay = zeros(call.input_gradients[kDecayInput]);
    if (delta_) to.writing = zeros(call.input_gradients[kWritingInput]);
    walk_back(call, to);
  }

  void backward_weights(const Call& call) override {
    const auto count = static_cast<std::size_t>(heads_);
    TrainedSums sums{std::vector<double>(count, 0), std::vector<double>(count, 0),
                     std::vector<double>(count, 0)};
    Sinks to;
    to.trained = &sums;
    walk_back(call, to);
    CpuWeights& weights = cpu(call.weights);
    write_gradient(context_, weights, kDecayWeight, sums.decay);
    write_gradient(context_, weights, kStepWeight, sums.step);
    if (!delta_) write_gradient(context_, weights, kSkipWeight, sums.skip);
  }

 private:
  /// Where gradients go; null: nowhere.
  struct Sinks {
    float *q = nullptr, *k = nullptr, *v = nullptr, *decay = nullptr, *writing = nullptr;
    TrainedSums* trained = nullptr;
  };

  static double of(const std::vector<double>& values, std::int64_t i) {
    return values[static_cast<std::size_t>(i)];
  }
  static double& of(std::vector<double>& values, std::int64_t i) {
    return values[static_cast<std::size_t>(i)];
  }

  void bind(const Call& call) {
    queries_ = plain_floats(call.inputs[0]);
    key_rows_ = plain_floats(call.inputs[1]);
    value_rows_ = plain_floats(call.inputs[2]);
    decays_ = plain_floats(call.inputs[kDecayInput]);
  }

  template <class Visit>
  void for_each_head(const Call& call, Visit visit) const {
    const std::int64_t samples = cpu(call.inputs[0]).extents().samples;
    for (std::int64_t row = 0; row < samples * heads_; ++row) {
      const std::int64_t head = row % heads_, key = row / heads_ * (heads_ / shared_);
      visit(HeadPlace{row, head, (key + head / shared_) * keys_ * positions_,
                      row * values_ * positions_, row * positions_});
    }
  }

  /// x + s of a position.
  double step_at(const Call& call, const HeadPlace& at, std::int64_t p) const {
    return double{decays_[at.gate + p]} + double{cpu(call.weights).vector(kStepWeight)[at.head]};
  }

  void form_gates(const Call& call, float* gates) {
    bind(call);
    const float* writing = delta_ ? plain_floats(call.inputs[kWritingInput]) : nullptr;
    const float* decay = cpu(call.weights).vector(kDecayWeight);
    for_each_head(call, [&](const HeadPlace& at) {
      for (std::int64_t p = 0; p < positions_; ++p) {
        const double step = softplus(step_at(call, at, p));
        float* to = gates + 2 * at.gate + p;
        to[0] = static_cast<float>(std::exp(-std::exp(double{decay[at.head]}) * step));
        to[positions_] = static_cast<float>(delta_ ? logistic(double{writing[at.gate + p]}) : step);
      }
    });
  }

  void read_row(const float* from, std::int64_t p, double factor, HeadRow& row) const {
    double squares = 0;
    for (std::int64_t i = 0; i < keys_; ++i) {
      const double value{from[i * positions_ + p]};
      of(row.raw, i) = value;
      squares += value * value;
    }
    row.length = delta_ ? squares + kLengthEpsilon : 0;
    row.scale = delta_ ? factor / std::sqrt(row.length) : 1;
    for (std::int64_t i = 0; i < keys_; ++i) of(row.used, i) = row.scale * of(row.raw, i);
  }

  void read_position(const HeadPlace& at, std::int64_t p) {
    read_row(queries_ + at.key, p, 1 / std::sqrt(static_cast<double>(keys_)), q_);
    read_row(key_rows_ + at.key, p, 1, k_);
    for (std::int64_t j = 0; j < values_; ++j) {
      of(v_, j) = double{value_rows_[at.value + j * positions_ + p]};
    }
  }

  /// v − S'ᵀk in `rest_` and what is written in `u_`, of the state before, α·S.
  void form_written(double alpha, double gate, const std::vector<double>& state) {
    for (std::int64_t j = 0; j < values_; ++j) {
      double rest = of(v_, j);
      if (delta_) {
        for (std::int64_t i = 0; i < keys_; ++i) {
          rest -= alpha * of(state, i * values_ + j) * of(k_.used, i);
        }
      }
      of(rest_, j) = rest;
      of(u_, j) = gate * rest;
    }
  }

  void advance(const HeadPlace& at, const float* gates, std::int64_t p,
               std::vector<double>& state) {
    const double alpha{gates[2 * at.gate + p]}, gate{gates[2 * at.gate + positions_ + p]};
    read_position(at, p);
    form_written(alpha, gate, state);
    for (std::int64_t i = 0; i < keys_; ++i) {
      for (std::int64_t j = 0; j < values_; ++j) {
        double& entry = of(state, i * values_ + j);
        entry = alpha * entry + of(k_.used, i) * of(u_, j);
      }
    }
  }

  void walk_back(const Call& call, const Sinks& to) {
    bind(call);
    const float* gates = gates_of(call).values.floats();
    const float* dy = plain_floats(call.output_gradient);
    const std::int64_t chunks = (positions_ + chunk_ - 1) / chunk_, size = keys_ * values_;
    const std::int64_t rows = cpu(call.inputs[0]).extents().samples * heads_;
    const MemoryBlock kept = context_.allocator().allocate(
        rows * chunks * size * static_cast<std::int64_t>(sizeof(float)));
    std::vector<double> state(static_cast<std::size_t>(size)), gradient(state.size());
    std::vector<std::vector<double>> within(static_cast<std::size_t>(chunk_) + 1, state);
    for_each_head(call, [&](const HeadPlace& at) {
      float* starts = kept.floats() + at.row * chunks * size;
      std::fill(state.begin(), state.end(), 0.0);
      for (std::int64_t p = 0; p < positions_; ++p) {
        if (p % chunk_ == 0) {
          std::transform(state.begin(), state.end(), starts + p / chunk_ * size,
                         [](double entry) { return static_cast<float>(entry); });
        }
        advance(at, gates, p, state);
      }
      std::fill(gradient.begin(), gradient.end(), 0.0);
      for (std::int64_t c = chunks; c-- > 0;) {
        const std::int64_t begin = c * chunk_, end = std::min(begin + chunk_, positions_);
        std::copy_n(starts + c * size, size, within[0].begin());
        for (std::int64_t p = begin; p < end; ++p) {
          const auto i = static_cast<std::size_t>(p - begin);
          within[i + 1] = within[i];
          advance(at, gates, p, within[i + 1]);
        }
        for (std::int64_t p = end; p-- > begin;) {
          const auto i = static_cast<std::size_t>(p - begin);
          step_back(call, at, p, {gates[2 * at.gate + p], gates[2 * at.gate + positions_ + p]},
                    within[i], within[i + 1], dy, gradient, to);
        }
      }
    });
  }

  struct GatePair {
    double alpha, written;
  };

  void step_back(const Call& call, const HeadPlace& at, std::int64_t p, GatePair gate,
                 const std::vector<double>& before, const std::vector<double>& after,
                 const float* dy, std::vector<double>& gradient, const Sinks& to) {
    read_position(at, p);
    form_written(gate.alpha, gate.written, before);
    for (std::int64_t j = 0; j < values_; ++j) {
      of(dy_, j) = double{dy[at.value + j * positions_ + p]};
      of(du_, j) = 0;
    }
    double of_alpha = 0, of_written = 0, of_skip = 0;
    for (std::int64_t i = 0; i < keys_; ++i) {
      of(dq_, i) = of(dk_, i) = 0;
      for (std::int64_t j = 0; j < values_; ++j) {
        double& entry = of(gradient, i * values_ + j);
        of(dq_, i) += of(after, i * values_ + j) * of(dy_, j);
        entry += of(q_.used, i) * of(dy_, j);
        of(dk_, i) += entry * of(u_, j);
        of(du_, j) += entry * of(k_.used, i);
      }
    }
    for (std::int64_t j = 0; j < values_; ++j) {
      of_written += of(du_, j) * of(rest_, j);
      of_skip += of(v_, j) * of(dy_, j);
    }
    for (std::int64_t i = 0; i < keys_; ++i) {
      for (std::int64_t j = 0; j < values_; ++j) {
        double& entry = of(gradient, i * values_ + j);
        const double state = of(before, i * values_ + j);
        if (delta_) {
          const double of_rest = gate.written * of(du_, j);
          of(dk_, i) -= gate.alpha * state * of_rest;
          entry -= of(k_.used, i) * of_rest;
        }
        of_alpha += entry * state;
        entry *= gate.alpha;
      }
    }
    q_.back(dq_);
    k_.back(dk_);
    write_rows(call, at, p, gate, to);
    write_gates(call, at, p, gate, of_alpha, of_written, to);
    if (to.trained != nullptr) of(to.trained->skip, at.head) += of_skip;
  }

  void write_rows(const Call& call, const HeadPlace& at, std::int64_t p, GatePair gate,
                  const Sinks& to) const {
    const auto add = [&](float* sum, std::int64_t first, const std::vector<double>& terms) {
      if (sum == nullptr) return;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        float& one = sum[first + static_cast<std::int64_t>(i) * positions_ + p];
        one = static_cast<float>(double{one} + terms[i]);
      }
    };
    add(to.q, at.key, dq_);
    add(to.k, at.key, dk_);
    if (to.v == nullptr) return;
    const double skip = delta_ ? 0 : double{cpu(call.weights).vector(kSkipWeight)[at.head]};
    for (std::int64_t j = 0; j < values_; ++j) {
      to.v[at.value + j * positions_ + p] =
          static_cast<float>(gate.written * of(du_, j) + skip * of(dy_, j));
    }
  }

  void write_gates(const Call& call, const HeadPlace& at, std::int64_t p, GatePair gate,
                   double of_alpha, double of_written, const Sinks& to) const {
    const double rate = std::exp(double{cpu(call.weights).vector(kDecayWeight)[at.head]});
    const double sum = step_at(call, at, p), of_exponent = -of_alpha * gate.alpha * rate;
    const double of_step = (of_exponent + (delta_ ? 0 : of_written)) * logistic(sum);
    if (to.decay != nullptr) to.decay[at.gate + p] = static_cast<float>(of_step);
    if (to.writing != nullptr) {
      to.writing[at.gate + p] = static_cast<float>(of_written * gate.written * (1 - gate.written));
    }
    if (to.trained == nullptr) return;
    of(to.trained->decay, at.head) += of_exponent * softplus(sum);
    of(to.trained->step, at.head) += of_step;
  }

  static BothGates& gates_of(const Call& call) {
    auto* gates = dynamic_cast<BothGates*>(call.saved);
    ensure(gates != nullptr, "linear attention runs without a place for its gates");
    return *gates;
  }

  float* place_gates(const Call& call) {
    MemoryBlock& values = gates_of(call).values;
    const std::int64_t bytes = 2 * cpu(call.inputs[0]).extents().samples * heads_ * positions_ *
                               static_cast<std::int64_t>(sizeof(float));
    if (values.bytes() != bytes) {
      values = MemoryBlock();
      values = context_.allocator().allocate(bytes);
    }
    return values.floats();
  }

  Context& context_;
  bool delta_ = true;
  std::int64_t keys_ = 0, values_ = 0;  ///< features of a head
  std::int64_t heads_ = 0;              ///< of values, of this rank
  std::int64_t shared_ = 1;             ///< heads of values that read one of keys
  std::int64_t positions_ = 0, chunk_ = 0;
  // Of the call under way, and of a position.
  const float *queries_ = nullptr, *key_rows_ = nullptr, *value_rows_ = nullptr, *decays_ = nullptr;
  HeadRow q_, k_;
  std::vector<double> v_, u_, rest_, dy_, du_, dq_, dk_;
};

}  // namespace

std::unique_ptr<Kernel> make_linear_attention(Context& context, const LocalLayer& layer) {
  return std::make_unique<LinearAttention>(context, layer);
}

}  // namespace oracle
