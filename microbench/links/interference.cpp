#include "microbench/links/interference.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "microbench/links/operation.h"
#include "oracle/base/error.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr int kRepeats = 7;
constexpr int kSide = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A product of small matrices again and again: arithmetic out of the nearest cache.
class Computation {
 public:
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

 private:
  std::array<float, kSide * kSide> a_{}, b_{}, c_{};
};

struct Both {
  double compute = 0, transfer = 0;
};

class Bench {
 public:
  Bench(const LinkSession& session, const LinkCase& link_case, std::int64_t bytes)
      : session_(session), operation_(make(session, link_case, bytes)) {}

  std::int64_t bytes() const { return operation_.bytes(); }

  double transfer() {
    return median([&] {
      const auto start = std::chrono::steady_clock::now();
      operation_.run();
      return seconds_since(start);
    });
  }

  double compute(int times) {
    return median([&] {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < times; ++i) computation_.once();
      return seconds_since(start);
    });
  }

  Both beside(int times) {
    std::vector<double> compute;
    std::vector<double> transfer;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      seconds_of_all(session_, 0);
      const Both took = both(times);
      compute.push_back(slowest_of_all(session_, took.compute));
      transfer.push_back(slowest_of_all(session_, took.transfer));
    }
    return {oracle::median(std::move(compute)), oracle::median(std::move(transfer))};
  }

 private:
  static LinkOperationRun make(const LinkSession& session, const LinkCase& link_case,
                               std::int64_t bytes) {
    std::vector<GroupId> ids;
    for (const std::vector<int>& group : link_case.groups) ids.push_back(session.groups.of(group));
    for (std::size_t g = 0; g < ids.size(); ++g) {
      const std::vector<int>& group = link_case.groups[g];
      if (std::find(group.begin(), group.end(), session.communicator.rank()) == group.end()) {
        continue;
      }
      LinkOperationRun operation(session.communicator, session.make_buffer, link_case.action, group,
                                 ids[g], bytes);
      operation.clear();
      return operation;
    }
    throw Defect("a rank of no group measures interference");
  }

  template <typename Work>
  double median(const Work& work) {
    std::vector<double> all;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      seconds_of_all(session_, 0);
      const double own = work();
      all.push_back(slowest_of_all(session_, own));
    }
    return oracle::median(std::move(all));
  }

  Both both(int times) {
    Both took;
    const auto start = std::chrono::steady_clock::now();
    const Ticket ticket = operation_.start();
    for (int i = 0; i < times; ++i) {
      computation_.once();
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

}  // namespace

InterferenceTimes measure_interference(const LinkSession& session, const LinkCase& link_case,
                                       std::int64_t bytes) {
  Bench bench(session, link_case, bytes);
  InterferenceTimes times;
  times.tier = link_case.tier;
  times.bytes = bench.bytes();
  times.transfer_alone = bench.transfer();
  constexpr int kProbe = 20;
  const double one = bench.compute(kProbe) / kProbe;
  const double calls = std::clamp(times.transfer_alone / one, 1.0, 1e6);
  const int count = static_cast<int>(std::lround(calls));
  times.compute_alone = bench.compute(count);
  const Both both = bench.beside(count);
  times.compute_beside = both.compute;
  times.transfer_beside = both.transfer;
  return times;
}

}  // namespace oracle
