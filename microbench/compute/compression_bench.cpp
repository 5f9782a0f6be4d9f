#include "microbench/compute/compression_bench.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>

#include "microbench/compression/compressed_gradients.h"
#include "oracle/graph/layer_case.h"
#include "oracle/plan/exchanges/compressed_bucket.h"

namespace oracle {
namespace {

constexpr int kTimed = 2;  ///< cycles of a bucket in a round
constexpr std::int64_t kColumns = 1024;

/// Magnitudes over several powers of ten, as those of gradients.
std::vector<float> gradients_for(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint64_t state = 1;
  for (float& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const float uniform = static_cast<float>(state >> 40) / static_cast<float>(1 << 23) - 1.0F;
    value = uniform * uniform * uniform;
  }
  return values;
}

/// The weights of a layer that has so many of them.
class Bucket {
 public:
  Bucket(Backend& backend, std::int64_t elements)
      : layer_(layer_of(
            parse_layer_case("dense 1:" + std::to_string(kColumns) + " bias=false features=" +
                             std::to_string(std::max(elements / kColumns, std::int64_t{1}))))) {
    local_.layer = &layer_;
    local_.inputs = {extents_of(layer_.input, 1)};
    local_.output = local_.whole = extents_of(layer_.output, 1);
    local_.window = layer_.window;
    local_.groups = layer_.groups;
    weights_ = backend.weights(local_);
    weights_->write_gradient(0, gradients_for(this->elements()).data());
  }

  std::int64_t elements() const { return weights_->elements(0); }
  Weights& weights() { return *weights_; }

 private:
  Layer layer_;
  LocalLayer local_;
  std::unique_ptr<Weights> weights_;
};

/// A rank's own message, once or from all.
void deliver(CompressedGradients& gradients, const Transfer& transfer) {
  if (transfer.collective != Collective::all_reduce) {
    Buffer& given = gradients.given();
    Buffer& room = gradients.make_room(static_cast<std::int64_t>(transfer.bytes.value));
    auto* to = static_cast<std::byte*>(room.data());
    for (std::int64_t at = 0; at < room.bytes(); at += given.bytes()) {
      std::copy_n(static_cast<const std::byte*>(given.data()), given.bytes(), to + at);
    }
  }
  gradients.arrive();
}

CompressionTimes times_of(const Compression& step, std::string_view type) {
  CompressionTimes times;
  times.step = name_of(step.step);
  times.exchange = step.exchange;
  times.type = type;
  times.inputs = step.inputs;
  times.input = step.input;
  times.output = step.output;
  return times;
}

ChosenExchange example_of(const GradientExchange& row) {
  std::string text(row.name);
  if (!row.parameter.empty()) text += ":" + std::string(row.parameter);
  return chosen_exchange(text);
}

/// All steps of a bucket once; `timed` gets the seconds of each that computes.
void cycle(CompressedGradients& gradients, const CompressedBucket& bucket, Clock clock,
           const std::function<void(const Compression&, double)>& timed) {
  for (const Action& action : bucket.steps()) {
    if (const auto* transfer = std::get_if<Transfer>(&action)) {
      deliver(gradients, *transfer);
      continue;
    }
    const auto& step = std::get<Compression>(action);
    const double begin = now(clock);
    gradients.take(step.step);
    const double seconds = now(clock) - begin;
    if (timed) timed(step, seconds);
  }
}

}  // namespace

Series& CompressionBench::series_of(const Compression& step) {
  CompressionTimes wanted = times_of(step, backend_.precision());
  const auto same = [&](const CompressionTimes& times) {
    return std::tie(times.step, times.exchange, times.inputs, times.input, times.output) ==
           std::tie(wanted.step, wanted.exchange, wanted.inputs, wanted.input, wanted.output);
  };
  const auto known = std::find_if(times_.begin(), times_.end(), same);
  if (known != times_.end()) return known->series;
  return times_.emplace_back(std::move(wanted)).series;
}

void CompressionBench::run_round() {
  for (const GradientExchange& row : all_gradient_exchanges()) {
    if (row.packed == nullptr) continue;
    const ChosenExchange exchange = example_of(row);
    for (const CompressionPlan::Size& size : plan_.sizes) {
      Bucket layer(backend_, size.elements);
      const Transfer sum{Collective::all_reduce, 1,
                         Bytes{static_cast<double>(layer.elements()) * sizeof(float)},
                         Payload::weight_gradient};
      const CompressedBucket bucket(exchange, sum, sizeof(float), size.ranks);
      CompressedGradients gradients(exchange, {{&layer.weights(), 0}}, layer.elements(),
                                    {0, size.ranks}, backend_);
      const double begin = now(Clock::wall);
      cycle(gradients, bucket, plan_.clock, {});
      const bool long_enough = now(Clock::wall) - begin > plan_.seconds;
      for (int i = 0; i < kTimed; ++i) {
        gradients.evict();
        cycle(gradients, bucket, plan_.clock,
              [&](const Compression& step, double seconds) { series_of(step).add(seconds); });
      }
      if (long_enough) break;
    }
  }
}

void CompressionBench::run_up_to(double part) {
  if (!backend_.shards_state()) return;
  for (; rounds_ < plan_.rounds && rounds_ <= part * (plan_.rounds - 1); ++rounds_) run_round();
}

}  // namespace oracle
