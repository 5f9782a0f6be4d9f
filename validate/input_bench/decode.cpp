#include "validate/input_bench/decode.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <random>
#include <thread>

#include "microbench/timing/clocks.h"

namespace oracle {
namespace {

constexpr std::size_t kGroup = 8;
/// Of a larger set a part is read again and again, so that it stays in memory.
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;

/// Some images of the set in a random order.
std::vector<std::int64_t> some_images(const ImageSet& images, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(images.size()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random() % i)]);
  }
  const std::size_t most = std::max<std::size_t>(kMostBytes / images.shape().bytes(), 1);
  order.resize(std::min(order.size(), most));
  return order;
}

/// What one worker does, from its own place in the order.
std::vector<double> decode(const ImageSet& images, const std::vector<std::int64_t>& order,
                           std::size_t first, const StopRule& rule) {
  std::vector<std::uint8_t> values(images.shape().bytes());
  Series series;
  const double begin = now(Clock::wall);
  for (std::size_t at = first; !series.done(rule, now(Clock::wall) - begin);) {
    const double start = now(Clock::wall);
    for (std::size_t i = 0; i < kGroup; ++i) images.read(order[at++ % order.size()], values);
    series.add((now(Clock::wall) - start) / kGroup);
  }
  return series.values();
}

}  // namespace

Series measure_decoding(const ImageSet& images, int workers, const StopRule& rule) {
  const std::vector<std::int64_t> order = some_images(images, 1);
  std::vector<std::uint8_t> values(images.shape().bytes());
  for (const std::int64_t image : order) images.read(image, values);
  const auto count = static_cast<std::size_t>(workers);
  std::vector<std::vector<double>> times(count);
  std::vector<std::exception_ptr> failures(count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < count; ++w) {
      threads.emplace_back([&, w] {
        try {
          times[w] = decode(images, order, w * order.size() / count, rule);
        } catch (...) {
          failures[w] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
  Series all;
  for (const std::vector<double>& of_one : times) {
    for (const double seconds : of_one) all.add(seconds);
  }
  return all;
}

}  // namespace oracle
