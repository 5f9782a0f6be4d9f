#include "microbench/links/interference.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "microbench/links/operation.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr int kRepeats = 5;
constexpr int kProbes = 3;
/// Whether the transfer is complete is asked as often as a step does, after each kernel [s]: who
/// asks takes a lock of those who exchange.
constexpr double kBetweenLooks = 0.5e-3;

/// What a rank computed, and for how long.
struct Computed {
  double products = 0, seconds = 0;
};

/// Products of small matrices, out of the nearest cache: how long they take says what others leave
/// of the core, and nothing of memory.
class Products {
 public:
  void times(int count) {
    for (int i = 0; i < count; ++i) once();
  }

 private:
  static constexpr std::size_t kSide = 64;

  void once() {
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t k = 0; k < kSide; ++k) {
        const float factor = a_[i * kSide + k];
        for (std::size_t j = 0; j < kSide; ++j) c_[i * kSide + j] += factor * b_[k * kSide + j];
      }
    }
    // Its result decides the next input, so that no product can be left out.
    a_[0] = c_[kSide + 1] * 1e-30F;
  }

  std::array<float, kSide * kSide> a_{}, b_{}, c_{};
};

class Bench {
 public:
  Bench(const LinkSession& session, const LinkCase& link_case, std::int64_t bytes)
      : session_(session), operation_(own_operation(session, link_case, bytes)) {}

  std::int64_t bytes() const { return operation_.bytes(); }

  /// Seconds of the slowest rank.
  double transfer() {
    return slowest([&] { operation_.run(); });
  }

  /// Seconds of so many products, where all ranks compute them.
  double products(int times) {
    return slowest([&] { products_.times(times); });
  }

  /// Products of all ranks in a second, of each for so long.
  double rate_alone(double seconds, int between_looks) {
    meet();
    return rate_of(compute_until(between_looks, [&](double passed) { return passed >= seconds; }));
  }

  struct Beside {
    double transfer = 0;  ///< seconds of the slowest rank
    double rate = 0;      ///< products of all ranks in a second of it
  };

  Beside beside(int between_looks) {
    meet();
    const Ticket ticket = operation_.start();
    const Computed computed =
        compute_until(between_looks, [&](double) { return session_.communicator.done(ticket); });
    session_.communicator.wait(ticket);
    const double slowest = slowest_of_all(session_, computed.seconds);
    return {slowest, rate_of(computed)};
  }

 private:
  void meet() { seconds_of_all(session_, 0); }

  template <typename Work>
  double slowest(const Work& work) {
    meet();
    const auto start = std::chrono::steady_clock::now();
    work();
    return slowest_of_all(session_, seconds_since(start));
  }

  template <typename Over>
  Computed compute_until(int between_looks, const Over& over) {
    Computed computed;
    const auto start = std::chrono::steady_clock::now();
    do {
      products_.times(between_looks);
      computed.products += between_looks;
      computed.seconds = seconds_since(start);
    } while (!over(computed.seconds));
    return computed;
  }

  double rate_of(const Computed& own) {
    double sum = 0;
    for (const double rate : seconds_of_all(session_, own.products / own.seconds)) sum += rate;
    return sum;
  }

  const LinkSession& session_;
  LinkOperationRun operation_;
  Products products_;
};

template <typename Once>
double median_of(const Once& once) {
  std::vector<double> all;
  for (int repeat = 0; repeat < kProbes; ++repeat) all.push_back(once());
  return median(std::move(all));
}

}  // namespace

InterferenceTimes measure_interference(const LinkSession& session, const LinkCase& link_case,
                                       std::int64_t bytes) {
  Bench bench(session, link_case, bytes);
  constexpr int kProbe = 20;
  const double one = median_of([&] { return bench.products(kProbe); }) / kProbe;
  const int between_looks = std::max(1, static_cast<int>(std::lround(kBetweenLooks / one)));
  std::vector<double> transfer_alone, transfer_beside, left;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    transfer_alone.push_back(bench.transfer());
    const Bench::Beside beside = bench.beside(between_looks);
    transfer_beside.push_back(beside.transfer);
    left.push_back(beside.rate / bench.rate_alone(beside.transfer, between_looks));
  }
  const double both = median(std::move(transfer_beside));
  return {link_case.tier,
          bench.bytes(),
          both * median(std::move(left)),
          both,
          median(std::move(transfer_alone)),
          both};
}

}  // namespace oracle
