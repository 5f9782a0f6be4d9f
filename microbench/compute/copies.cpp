#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "microbench/compute/session.h"

namespace oracle {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 20;

/// What one thread copies, from and to memory that it has touched itself.
class Copier {
 public:
  Copier() : from_(kBuffer, 1), to_(kBuffer, 2) {}
  void copy() { std::memcpy(to_.data(), from_.data(), kBuffer); }

 private:
  std::vector<char> from_, to_;
};

double copy_at_once(std::vector<Copier>& copiers) {
  std::vector<std::thread> threads;
  const double begin = now(Clock::wall);
  for (std::size_t i = 1; i < copiers.size(); ++i) {
    threads.emplace_back([&copiers, i] { copiers[i].copy(); });
  }
  copiers[0].copy();
  for (std::thread& thread : threads) thread.join();
  return now(Clock::wall) - begin;
}

}  // namespace

std::vector<CopySample> measure_copies(int threads, const StopRule& rule) {
  std::vector<CopySample> samples;
  std::vector<int> counts = {1};
  if (threads > 1) counts.push_back(threads);
  for (const int count : counts) {
    std::vector<Copier> copiers(static_cast<std::size_t>(count));
    CopySample& sample = samples.emplace_back();
    sample.threads = count;
    sample.bytes = static_cast<std::int64_t>(kBuffer);
    while (!sample.series.done(rule)) sample.series.add(copy_at_once(copiers));
  }
  return samples;
}

}  // namespace oracle
