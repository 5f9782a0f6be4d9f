// Fused attention: of each head a query at a time, so that the scores of one row are all that is
// ever there. Forward keeps the logarithm of each row's sum, L = log Σ exp s; backward forms the
// shares again, p = exp(s − L), and with δ = Σ dy·y
//   dv += p·dy,  ds = p·(dy·v − δ),  dq += ds·k,  dk += ds·q,   s = q·k/√d
// (Dao, arXiv 2307.08691, section 3.1.2). In plain memory the keys of a channel lie side by side,
// so that all inner loops run over keys. A row is of double: its slopes sum to nothing, and what
// rounding leaves of the sum goes to the gradient of the keys' bias. Of relative positions a number
// is added to each score, db = Σ ds/√d over the pairs that it is of, for which backward weights
// forms the slopes once more (microbench/kernels/relative_positions.h).
//
// Where keys come in several calls, forward merges what it made of those before, y and L, with what
// it makes of these, y' and L' (Milakov & Gimelshein, arXiv 1805.02867, for the merging):
//   L″ = log(exp L + exp L'),  y″ = y·exp(L − L″) + y'·exp(L' − L″)
// and backward, which has the last L, adds up dq. A query that read none so far has y = 0, L = −∞.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/relative_positions.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

struct LogSums final : Saved {
  MemoryBlock values;  ///< by sample, head, query
};

/// Positions of keys that a query reads.
struct Range {
  std::int64_t begin, end;
};

class Attention final : public CpuKernel {
 public:
  Attention(Context& context, const LocalLayer& layer) : context_(context) {
    const Layer& whole = *layer.layer;
    const Heads& heads = whole.heads;
    query_size_ = whole.input.channels() / heads.queries;
    value_size_ = whole.output.channels() / heads.queries;
    queries_ = layer.inputs[0].width;
    heads_ = layer.output.channels / value_size_;
    kv_heads_ = layer.inputs[1].channels / query_size_;
    shared_ = heads.queries / heads.keys;
    // A part of the heads reads its own keys, or its part of all.
    const std::int64_t first = layer.place.channels / value_size_;
    first_head_ = kv_heads_ == heads.keys ? first : 0;
    for (std::int64_t p = 0; p < queries_; ++p) places_.push_back(heads.first + layer.position(p));
    causal_ = heads.causal;
    window_ = heads.window;
    within_ = heads.within;
    if (whole.trainable()) relative_.emplace(whole);
    scale_ = 1 / std::sqrt(static_cast<double>(query_size_));
  }

  std::unique_ptr<Saved> saved() const override { return std::make_unique<LogSums>(); }

  void forward(const Call& call) override {
    const float *q = plain_floats(call.inputs[0]), *k = plain_floats(call.inputs[1]),
                *v = plain_floats(call.inputs[2]);
    CpuTensor& y = cpu(call.output);
    const std::int64_t samples = y.extents().samples;
    float* sums = place_sums(call, samples);
    if (!call.adds) {
      y.rewrite(1);
      y.zero();
      std::fill_n(sums, samples * heads_ * queries_, -std::numeric_limits<float>::infinity());
    }
    const float* added = numbers_of(call);
    take_keys(call);
    for_each_query(samples, [&](const Place& at) {
      const double sum = shares(at, q, k, added);
      const Merged merged = merge(largest_ + std::log(sum), double{sums[at.row]});
      sums[at.row] = static_cast<float>(merged.log_sum);
      for (std::int64_t c = 0; c < value_size_; ++c) {
        const float* values = v + at.value + c * keys_;
        double total = 0;
        for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
          total += row_[static_cast<std::size_t>(j)] * double{values[j]};
        }
        float& to = y.data()[at.output + c * queries_];
        to = static_cast<float>(merged.before * double{to} + merged.now * (total / sum));
      }
    });
  }

  void backward_data(const Call& call) override {
    const float *q = plain_floats(call.inputs[0]), *k = plain_floats(call.inputs[1]),
                *v = plain_floats(call.inputs[2]);
    const float *y = plain_floats(call.output), *dy = plain_floats(call.output_gradient);
    float* dq = call.adds ? plain_floats(call.input_gradients[0]) : zeros(call.input_gradients[0]);
    float* dk = zeros(call.input_gradients[1]);
    float* dv = zeros(call.input_gradients[2]);
    const float* added = numbers_of(call);
    const float* sums = sums_of(call).values.floats();
    take_keys(call);
    for_each_query(cpu(call.output).extents().samples, [&](const Place& at) {
      shares_again(at, q, k, added, sums);
      through_values(at, v, y, dy, dv);
      through_scores(at, q, k, dq, dk);
    });
  }

  /// Of the numbers that are added to scores.
  void backward_weights(const Call& call) override {
    if (!relative_) return;
    const float *q = plain_floats(call.inputs[0]), *k = plain_floats(call.inputs[1]),
                *v = plain_floats(call.inputs[2]);
    const float *y = plain_floats(call.output), *dy = plain_floats(call.output_gradient);
    const float* added = numbers_of(call);
    const float* sums = sums_of(call).values.floats();
    std::vector<double> gradient(static_cast<std::size_t>(heads_ * relative_->rows()), 0);
    take_keys(call);
    for_each_query(cpu(call.output).extents().samples, [&](const Place& at) {
      shares_again(at, q, k, added, sums);
      through_values(at, v, y, dy, nullptr);
      for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
        gradient[number_of(at, j)] += slopes_[static_cast<std::size_t>(j)] / scale_;
      }
    });
    sum_gradient(context_, cpu(call.weights), static_cast<std::int64_t>(gradient.size()),
                 [&](float* to) {
                   for (std::size_t i = 0; i < gradient.size(); ++i) {
                     to[i] += static_cast<float>(gradient[i]);
                   }
                 });
  }

 private:
  /// Where a query and what belongs to it lie.
  struct Place {
    std::int64_t row, query, key, value, output;
    Range keys;
    std::int64_t head, position;  ///< of this rank, and of the whole text
  };

  /// The part of what was made before and of what is made now, and the logarithm of both sums.
  struct Merged {
    double before, now, log_sum;
  };

  static Merged merge(double log_sum, double before) {
    const double most = std::max(log_sum, before);
    const double both = most + std::log(std::exp(log_sum - most) + std::exp(before - most));
    return {std::exp(before - both), std::exp(log_sum - both), both};
  }

  void take_keys(const Call& call) {
    keys_ = call.inputs[1]->extents().width;
    key_places_ = call.keys;
    row_.resize(static_cast<std::size_t>(keys_));
    slopes_.resize(static_cast<std::size_t>(keys_));
  }

  /// Calls visit(place) for each query that reads some of the keys.
  template <class Visit>
  void for_each_query(std::int64_t samples, Visit visit) const {
    for (std::int64_t n = 0; n < samples; ++n) {
      for (std::int64_t h = 0; h < heads_; ++h) {
        const std::int64_t of = n * kv_heads_ + (first_head_ + h) / shared_;
        for (std::int64_t p = 0; p < queries_; ++p) {
          const std::int64_t head = n * heads_ + h, place = places_[static_cast<std::size_t>(p)];
          const Range keys = read_from(place);
          if (keys.begin == keys.end) continue;
          visit({head * queries_ + p, head * query_size_ * queries_ + p, of * query_size_ * keys_,
                 of * value_size_ * keys_, head * value_size_ * queries_ + p, keys, h, place});
        }
      }
    }
  }

  /// The keys that a query at that place of the text reads.
  Range read_from(std::int64_t place) const {
    if (within_ > 0) {
      const std::int64_t begin = place / within_ * within_;
      return {begin, begin + within_};
    }
    if (!causal_) return {0, keys_};
    return {keys_before(place + 1 - window_), keys_before(place + 1)};
  }

  /// How many keys lie before a place.
  std::int64_t keys_before(std::int64_t place) const {
    if (key_places_.empty()) return std::clamp<std::int64_t>(place, 0, keys_);
    return std::lower_bound(key_places_.begin(), key_places_.end(), place) - key_places_.begin();
  }

  /// What is added to the scores of relative positions; null: nothing is.
  const float* numbers_of(const Call& call) const {
    return relative_ ? cpu(call.weights).vector(0) : nullptr;
  }
  std::size_t number_of(const Place& at, std::int64_t key) const {
    return static_cast<std::size_t>(at.head * relative_->rows() +
                                    relative_->row_of(at.position, place_of_key(key)));
  }

  std::int64_t place_of_key(std::int64_t key) const {
    return key_places_.empty() ? key : key_places_[static_cast<std::size_t>(key)];
  }

  /// Scores of a row, in `row_`.
  void scores(const Place& at, const float* q, const float* k, const float* added) {
    std::fill(row_.begin() + at.keys.begin, row_.begin() + at.keys.end, 0.0);
    for (std::int64_t c = 0; c < query_size_; ++c) {
      const double factor = double{q[at.query + c * queries_]} * scale_;
      const float* channel = k + at.key + c * keys_;
      for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
        row_[static_cast<std::size_t>(j)] += factor * double{channel[j]};
      }
    }
    if (added == nullptr) return;
    for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
      row_[static_cast<std::size_t>(j)] += double{added[number_of(at, j)]};
    }
  }

  /// exp(s − largest) of a row, in `row_`; returns their sum.
  double shares(const Place& at, const float* q, const float* k, const float* added) {
    scores(at, q, k, added);
    largest_ = *std::max_element(row_.begin() + at.keys.begin, row_.begin() + at.keys.end);
    double sum = 0;
    for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
      double& share = row_[static_cast<std::size_t>(j)];
      share = std::exp(share - largest_);
      sum += share;
    }
    return sum;
  }

  /// Shares of a row, in `row_`, by the sums that forward kept.
  void shares_again(const Place& at, const float* q, const float* k, const float* added,
                    const float* sums) {
    scores(at, q, k, added);
    for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
      double& share = row_[static_cast<std::size_t>(j)];
      share = std::exp(share - double{sums[at.row]});
    }
  }

  /// dv, and ds in `slopes_`.
  void through_values(const Place& at, const float* v, const float* y, const float* dy, float* dv) {
    double delta = 0;
    std::fill(slopes_.begin() + at.keys.begin, slopes_.begin() + at.keys.end, 0.0);
    for (std::int64_t c = 0; c < value_size_; ++c) {
      const double gradient{dy[at.output + c * queries_]};
      delta += gradient * double{y[at.output + c * queries_]};
      const float* values = v + at.value + c * keys_;
      float* to = dv == nullptr ? nullptr : dv + at.value + c * keys_;
      for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
        const auto i = static_cast<std::size_t>(j);
        slopes_[i] += gradient * double{values[j]};
        if (to != nullptr) to[j] += static_cast<float>(gradient * row_[i]);
      }
    }
    for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
      const auto i = static_cast<std::size_t>(j);
      slopes_[i] = row_[i] * (slopes_[i] - delta) * scale_;
    }
  }

  void through_scores(const Place& at, const float* q, const float* k, float* dq, float* dk) const {
    for (std::int64_t c = 0; c < query_size_; ++c) {
      const float* channel = k + at.key + c * keys_;
      const double query{q[at.query + c * queries_]};
      double sum = 0;
      for (std::int64_t j = at.keys.begin; j < at.keys.end; ++j) {
        const double slope = slopes_[static_cast<std::size_t>(j)];
        sum += slope * double{channel[j]};
        if (dk != nullptr) dk[at.key + c * keys_ + j] += static_cast<float>(slope * query);
      }
      if (dq != nullptr) dq[at.query + c * queries_] += static_cast<float>(sum);
    }
  }

  static float* zeros(Tensor* tensor) {
    if (tensor == nullptr) return nullptr;
    float* values = fresh_floats(tensor);
    cpu(tensor).zero();
    return values;
  }

  static LogSums& sums_of(const Call& call) {
    auto* sums = dynamic_cast<LogSums*>(call.saved);
    ensure(sums != nullptr, "attention runs without a place for its sums");
    return *sums;
  }

  float* place_sums(const Call& call, std::int64_t samples) {
    MemoryBlock& values = sums_of(call).values;
    const std::int64_t bytes =
        samples * heads_ * queries_ * static_cast<std::int64_t>(sizeof(float));
    if (values.bytes() != bytes) {
      values = MemoryBlock();
      values = context_.allocator().allocate(bytes);
    }
    return values.floats();
  }

  Context& context_;
  std::int64_t query_size_ = 0, value_size_ = 0, queries_ = 0;
  std::int64_t heads_ = 0, kv_heads_ = 0;  ///< of this rank
  std::int64_t shared_ = 1;                ///< heads that read one of keys and values
  std::int64_t first_head_ = 0;
  std::int64_t window_ = 0, within_ = 0;
  std::vector<std::int64_t> places_;  ///< of the queries
  // Of the call under way.
  std::int64_t keys_ = 0;
  std::span<const std::int64_t> key_places_;
  bool causal_ = false;
  std::optional<RelativePositions> relative_;
  double scale_ = 1;
  double largest_ = 0;  ///< score of the row
  std::vector<double> row_, slopes_;
};

}  // namespace

std::unique_ptr<Kernel> make_attention(Context& context, const LocalLayer& layer) {
  return std::make_unique<Attention>(context, layer);
}

}  // namespace oracle
