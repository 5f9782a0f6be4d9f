#include "microbench/compute/copies.h"

#include <array>

#include "microbench/compute/copiers.h"

namespace oracle {
namespace {

/// From what a core's own cache holds to more than all caches do.
constexpr std::array<std::size_t, 5> kSizes = {std::size_t{256} << 10, std::size_t{1} << 20,
                                               std::size_t{4} << 20, std::size_t{16} << 20,
                                               std::size_t{64} << 20};
/// Copies in a row by all threads, between two looks at whether these are enough.
constexpr int kInARow = 4;
constexpr int kRounds = 8;

CopySample copies_of(Copiers& copiers, int threads, std::size_t bytes, const StopRule& rule) {
  CopySample sample;
  sample.threads = threads;
  sample.bytes = static_cast<std::int64_t>(bytes);
  copiers.copy(threads, kInARow, bytes);
  while (!sample.series.done(rule)) {
    for (const CopyTimes& times : copiers.copy(threads, kInARow, bytes)) {
      sample.series.add(times.mean());
      sample.pack.add(times.pack);
      sample.unpack.add(times.unpack);
    }
  }
  return sample;
}

}  // namespace

void CopyBench::run_up_to(double part) {
  for (; rounds_ < kRounds && rounds_ <= part * (kRounds - 1); ++rounds_) {
    Copiers copiers(threads_, kSizes.back(), CopyPath::through_message);
    if (threads_ > 1) samples_.push_back(copies_of(copiers, 1, kSizes.back(), rule_));
    for (const std::size_t bytes : kSizes) {
      samples_.push_back(copies_of(copiers, threads_, bytes, rule_));
    }
  }
}

}  // namespace oracle
