#include "microbench/links/interference.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "microbench/links/computation.h"
#include "microbench/links/operation.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr int kRepeats = 5;
constexpr int kProbes = 3;
/// Whether the transfer is complete is asked as often as a step does, after each kernel [s]: who
/// asks takes a lock of those who exchange.
constexpr double kBetweenLooks = 0.5e-3;
/// Computing goes on for so many times as long as the transfer alone, so that all of the transfer
/// is beside it, and no longer than that [s].
constexpr double kLonger = 8, kLongestComputing = 0.3;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Both {
  double compute = 0, transfer = 0;
};

class Bench {
 public:
  Bench(const LinkSession& session, const LinkCase& link_case, std::int64_t bytes)
      : session_(session), operation_(own_operation(session, link_case, bytes)) {}

  std::int64_t bytes() const { return operation_.bytes(); }

  double transfer() {
    return slowest([&] { operation_.run(); });
  }

  double compute(int times) {
    return slowest([&] { computation_.times(times); });
  }

  Both beside(int times, int between_looks) {
    seconds_of_all(session_, 0);
    const Both took = both(times, between_looks);
    return {slowest_of_all(session_, took.compute), slowest_of_all(session_, took.transfer)};
  }

 private:
  template <typename Work>
  double slowest(const Work& work) {
    seconds_of_all(session_, 0);
    const auto start = std::chrono::steady_clock::now();
    work();
    return slowest_of_all(session_, seconds_since(start));
  }

  Both both(int times, int between_looks) {
    Both took;
    const auto start = std::chrono::steady_clock::now();
    const Ticket ticket = operation_.start();
    for (int left = times; left > 0; left -= between_looks) {
      computation_.times(std::min(left, between_looks));
      if (took.transfer == 0 && session_.communicator.done(ticket)) {
        took.transfer = seconds_since(start);
      }
    }
    took.compute = seconds_since(start);
    session_.communicator.wait(ticket);
    if (took.transfer == 0) took.transfer = seconds_since(start);
    return took;
  }

  const LinkSession& session_;
  LinkOperationRun operation_;
  Computation computation_;
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
  const double one = median_of([&] { return bench.compute(kProbe); }) / kProbe;
  const double transfer = median_of([&] { return bench.transfer(); });
  const auto products = [one](double seconds) {
    return static_cast<int>(std::lround(std::clamp(seconds / one, 1.0, 1e6)));
  };
  const int times = products(std::min(kLonger * transfer, kLongestComputing));
  std::vector<double> compute_alone, transfer_alone, compute_beside, transfer_beside;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    transfer_alone.push_back(bench.transfer());
    compute_alone.push_back(bench.compute(times));
    const Both both = bench.beside(times, products(kBetweenLooks));
    compute_beside.push_back(both.compute);
    transfer_beside.push_back(both.transfer);
  }
  return {link_case.tier,
          bench.bytes(),
          median(std::move(compute_alone)),
          median(std::move(compute_beside)),
          median(std::move(transfer_alone)),
          median(std::move(transfer_beside))};
}

}  // namespace oracle
