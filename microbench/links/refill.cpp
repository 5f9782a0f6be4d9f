#include "microbench/links/refill.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>
#include <utility>
#include <vector>

#include "microbench/timing/clocks.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// A sum that says only that all are here.
constexpr std::int64_t kBytes = 4;
constexpr int kRepeats = 60;
constexpr std::int64_t kLine = 64;
/// What is read between two messages, over what a core's own caches hold.
constexpr std::int64_t kRead = 4;
/// Of what they hold, what is copied.
constexpr std::int64_t kCopied = 4;

/// 1 MiB where the system does not say.
std::int64_t second_level_cache() {
  const long told = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return told > 0 ? told : std::int64_t{1} << 20;
}

class Bench {
 public:
  explicit Bench(std::int64_t own)
      : read_(static_cast<std::size_t>(kRead * own), 1),
        copied_(static_cast<std::size_t>(own / kCopied), 1) {}

  std::int64_t copied() const { return static_cast<std::int64_t>(copied_.size()); }

  /// Reads what other layers do.
  void read() const {
    char sum = 0;
    for (std::size_t i = 0; i < read_.size(); i += kLine) sum ^= read_[i];
    use(sum);
  }

  /// Seconds of the processor.
  double copy() {
    const double begin = now(Clock::processor);
    const std::size_t half = copied_.size() / 2;
    std::memcpy(copied_.data() + half, copied_.data(), half);
    use(copied_[half]);
    return now(Clock::processor) - begin;
  }

 private:
  /// So that it is made.
  static void use(char value) {
    const volatile char kept = value;
    static_cast<void>(kept);
  }

  std::vector<char> read_, copied_;
};

}  // namespace

RefillTimes measure_refill(const LinkSession& session, const LinkCase& link_case) {
  const std::int64_t own = second_level_cache();
  Bench bench(own);
  LinkOperationRun sum = own_operation(session, link_case, kBytes);
  std::vector<double> near, after;
  seconds_of_all(session, 0);
  for (int i = 0; i < kRepeats; ++i) {
    bench.read();
    bench.copy();
    sum.run();
    after.push_back(bench.copy());
    near.push_back(bench.copy());
  }
  return {link_case.tier,
          static_cast<std::int64_t>(link_case.groups.front().size()),
          mean_of_all(session, median(std::move(near))),
          mean_of_all(session, median(std::move(after))),
          bench.copied(),
          own};
}

}  // namespace oracle
