// Squares are those of the gradients of single samples, computed one by one; and what follows from
// them is the noise scale of these.

#include "validate/executor/gradient_squares.h"

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/budget/noise_scale.h"
#include "oracle/plan/layout/halo.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "tests/validate/networks.h"
#include "tests/validate/plain/backend.h"
#include "validate/equivalence/solo.h"
#include "validate/executor/executor.h"

namespace oracle {
namespace gradient_squares_test {

using Gradient = std::vector<double>;

/// Weights stay what they are.
ExecutorOptions at_rest(bool squares) {
  ExecutorOptions options;
  options.seed = 5;
  options.optimizer.rate = 0;
  options.squares = squares;
  return options;
}

/// Of samples [first, first + count), one by one.
std::vector<Gradient> gradients_of(const Graph& graph, std::int64_t first, std::int64_t count) {
  const auto backend = plain_backend();
  const Plan plan = plan_of(graph, "serial", 1);
  Solo solo;
  Executor executor(graph, plan, *backend, solo, at_rest(false));
  std::vector<Gradient> gradients;
  for (std::int64_t sample = first; sample < first + count; ++sample) {
    executor.step(sample + 1);
    Gradient all;
    for (const TrainedLayer& layer : executor.program().trained) {
      for (std::size_t i = 0; i < layer.parameters.size(); ++i) {
        for (const float value : executor.gradient(layer.layer, i)) all.push_back(value);
      }
    }
    gradients.push_back(std::move(all));
  }
  return gradients;
}

double square_of(const Gradient& gradient) {
  double sum = 0;
  for (const double value : gradient) sum += value * value;
  return sum;
}

Gradient mean_of(const std::vector<Gradient>& gradients, const std::vector<std::int64_t>& samples) {
  Gradient mean(gradients.front().size());
  for (const std::int64_t sample : samples) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] +=
          gradients[static_cast<std::size_t>(sample)][i] / static_cast<double>(samples.size());
    }
  }
  return mean;
}

std::vector<std::int64_t> counted(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = begin; n < end; ++n) numbers.push_back(n);
  return numbers;
}

/// By rank, then by step.
std::vector<std::vector<StepRecord>> records_of(const Graph& graph, std::string_view strategy,
                                                std::int64_t batch, std::int64_t steps,
                                                bool squares = true) {
  const Plan plan = plan_of(graph, strategy, batch);
  std::vector<std::vector<StepRecord>> records(static_cast<std::size_t>(plan.ranks()));
  run_ranks(static_cast<int>(plan.ranks()), [&](Communicator& communicator) {
    const auto backend = make_cpu_backend(1);
    Executor executor(graph, plan, *backend, communicator, at_rest(squares));
    auto& own = records[static_cast<std::size_t>(communicator.rank())];
    for (std::int64_t step = 1; step <= steps; ++step) own.push_back(executor.step(step));
  });
  return records;
}

/// Samples of a rank, of each micro-batch its part.
std::vector<std::int64_t> samples_of(const Plan& plan, std::int64_t rank) {
  std::vector<std::int64_t> samples;
  for (const SampleRange& range : ranges_of(plan, {})) {
    const std::int64_t ranks = plan.ranks();
    for (const std::int64_t sample : counted(slab_begin(rank, range.size(), ranks),
                                             slab_begin(rank + 1, range.size(), ranks))) {
      samples.push_back(range.begin + sample);
    }
  }
  return samples;
}

TEST(GradientSquares, AreThoseOfTheMeansOfSinglesSamplesGradients) {
  const Graph graph = uneven_network();
  constexpr std::int64_t kBatch = 14;
  const std::vector<Gradient> singles = gradients_of(graph, 0, kBatch);
  const double whole = square_of(mean_of(singles, counted(0, kBatch)));
  for (const char* strategy : {"data:2", "data:4", "data:4; bucket=100 B", "data:3; overlap=off",
                               "data:3; micro_batches=2", "serial; micro_batches=4"}) {
    const Plan plan = plan_of(graph, strategy, kBatch);
    const auto records = records_of(graph, strategy, kBatch, 1);
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
      const StepSquares& squares = records[rank].front().squares;
      const std::vector<std::int64_t> samples =
          plan.ranks() > 1 ? samples_of(plan, static_cast<std::int64_t>(rank)) : counted(0, 3);
      const double part = square_of(mean_of(singles, samples));
      EXPECT_EQ(squares.part_samples, static_cast<std::int64_t>(samples.size())) << strategy;
      EXPECT_NEAR(squares.part, part, 1e-5 * part) << strategy << ", rank " << rank;
      EXPECT_NEAR(squares.whole, whole, 1e-5 * whole) << strategy << ", rank " << rank;
    }
  }
}

TEST(GradientSquares, ChangeNeitherTrainingNorWhatIsSent) {
  const auto with = records_of(plain_network(), "data:2", 6, 3);
  const auto without = records_of(plain_network(), "data:2", 6, 3, false);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(with[1][s].loss, without[1][s].loss);
    EXPECT_EQ(with[1][s].bytes, without[1][s].bytes);
    EXPECT_EQ(without[1][s].squares.part_samples, 0);
    EXPECT_EQ(without[1][s].squares.whole, 0);
  }
}

/// tr(Σ) and |G|² of many samples that are computed one by one, and of others by ranks.
void expect_noise_scale(const std::string& strategy, std::int64_t batch) {
  const Graph graph = dense_chain({16, 12, 5}, true);
  constexpr std::int64_t kSingles = 20'000, kSteps = 1500;
  const std::vector<Gradient> singles = gradients_of(graph, 1'000'000, kSingles);
  double mean_square = 0;
  for (const Gradient& gradient : singles) mean_square += square_of(gradient) / kSingles;
  const double square_of_mean = square_of(mean_of(singles, counted(0, kSingles)));
  const double noise = (mean_square - square_of_mean) * kSingles / (kSingles - 1);
  const double signal = square_of_mean - noise / kSingles;

  const auto records = records_of(graph, strategy, batch, kSteps);
  std::vector<NoiseStep> steps;
  NoiseBatches batches{0, static_cast<double>(batch)};
  for (std::size_t s = 0; s < kSteps; ++s) {
    NoiseStep squares{0, records[0][s].squares.whole};
    for (const auto& rank : records) {
      squares.small += rank[s].squares.part / static_cast<double>(records.size());
    }
    steps.push_back(squares);
  }
  batches.small = static_cast<double>(records[0][0].squares.part_samples);
  const NoiseScale scale = noise_scale(steps, batches);
  EXPECT_NEAR(scale.noise, noise, 0.02 * noise) << strategy;
  EXPECT_NEAR(scale.signal, signal, 0.06 * signal) << strategy;
  EXPECT_NEAR(scale.batch(), noise / signal, 0.06 * noise / signal) << strategy;
  EXPECT_LT(scale.high / scale.low, 1.25) << strategy;
}

TEST(GradientSquares, TellTheNoiseScaleOfSingleSamples) {
  expect_noise_scale("data:4", 32);
  expect_noise_scale("serial; micro_batches=4", 32);
}

}  // namespace gradient_squares_test
}  // namespace oracle
