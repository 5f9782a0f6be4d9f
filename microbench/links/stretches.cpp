#include "microbench/links/stretches.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "microbench/links/computation.h"
#include "microbench/timing/clocks.h"

namespace oracle {
namespace {

/// Statistics of a batch norm of 64 channels.
constexpr std::int64_t kBytes = 512;
constexpr int kSumsInARow = 200;
constexpr int kProbed = 4, kProbes = 3;
/// Of a stretch, from less than most kernels take to more than a system lets one compute at a time
/// [s].
constexpr std::array<double, 6> kStretches = {0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3};
/// Of all stretches of a length [s], and how many there are at least and at most.
constexpr double kSecondsOfALength = 0.06;
constexpr double kLeast = 8, kMost = 120;

class Bench {
 public:
  Bench(const LinkSession& session, const LinkCase& link_case)
      : session_(session),
        tier_(link_case.tier),
        ranks_(static_cast<std::int64_t>(link_case.groups.front().size())),
        operation_(own_operation(session, link_case, kBytes)) {}

  /// Of one computation, equal on all ranks: they are to compute as many.
  double computation() {
    double least = INFINITY;
    for (int probe = 0; probe < kProbes; ++probe) {
      const double begin = now(Clock::processor);
      computation_.times(kProbed);
      least = std::min(least, now(Clock::processor) - begin);
    }
    return std::max(mean_of_all(session_, least) / kProbed, 1e-9);
  }

  double sum_alone() {
    const double begin = now(Clock::wall);
    for (int i = 0; i < kSumsInARow; ++i) operation_.run();
    return mean_of_all(session_, (now(Clock::wall) - begin) / kSumsInARow);
  }

  StretchTimes stretch(int computations, int repeats, double alone) {
    seconds_of_all(session_, 0);
    StretchTimes own;
    for (int i = 0; i < repeats; ++i) once(computations, own);
    return {tier_,
            ranks_,
            operation_.bytes(),
            mean_of_all(session_, own.computing / repeats),
            mean_of_all(session_, own.took / repeats),
            mean_of_all(session_, own.waited / repeats),
            alone};
  }

 private:
  void once(int computations, StretchTimes& sum) {
    const double begin = now(Clock::wall), computing = now(Clock::processor);
    computation_.times(computations);
    sum.computing += now(Clock::processor) - computing;
    const double end = now(Clock::wall);
    operation_.run();
    sum.took += end - begin;
    sum.waited += now(Clock::wall) - end;
  }

  const LinkSession& session_;
  std::string tier_;
  std::int64_t ranks_;
  LinkOperationRun operation_;
  LayersComputation computation_;
};

}  // namespace

std::vector<StretchTimes> measure_stretches(const LinkSession& session, const LinkCase& link_case) {
  Bench bench(session, link_case);
  const double one = bench.computation(), alone = bench.sum_alone();
  std::vector<StretchTimes> all;
  for (const double length : kStretches) {
    const int computations = static_cast<int>(std::lround(std::max(1.0, length / one)));
    const int repeats =
        static_cast<int>(std::lround(std::clamp(kSecondsOfALength / length, kLeast, kMost)));
    all.push_back(bench.stretch(computations, repeats, alone));
  }
  return all;
}

}  // namespace oracle
