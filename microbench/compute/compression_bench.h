#pragma once
// How long do the steps take that compress gradients?
//
// Of each exchange that compresses (oracle/plan/exchanges/table.cpp), for buckets of some sizes on
// some numbers of ranks: what a rank does between its messages, which come here from itself. A
// bucket's gradients and what was left out of it are in no cache, as after a step of training;
// messages are, as when they have just arrived. Shares are those of the table's example.
//
// A cycle of a bucket makes its memory, as the first step of training does, and is not timed; those
// behind it are. Of a row whose cycles take longer than is left to it, larger sizes are left out.
//                                          tests/microbench/compute/compression_bench_test.cpp

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "microbench/kernels/backend.h"
#include "microbench/timing/clocks.h"
#include "microbench/timing/series.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Of a step: words of 4 bytes that it takes, of each of its inputs, and makes.
struct CompressionTimes {
  std::string step, exchange, type;
  std::int64_t inputs = 1, input = 1, output = 1;
  Series series;
};

struct CompressionPlan {
  /// Of a bucket: values, and the ranks that it is exchanged among.
  struct Size {
    std::int64_t elements = 0, ranks = 2;
  };
  std::vector<Size> sizes;  ///< ascending
  int rounds = 2;
  double seconds = 0.05;  ///< no cycle is to take longer
  Clock clock = Clock::processor;
};

/// On a back end that keeps state in shards; of others nothing is timed.
class CompressionBench {
 public:
  CompressionBench(Backend& backend, CompressionPlan plan)
      : backend_(backend), plan_(std::move(plan)) {}

  /// Makes the rounds that are due when that part of a session is over; all of them by 1.
  void run_up_to(double part);

  /// Of what was measured.
  std::vector<CompressionTimes> take() { return std::move(times_); }

 private:
  void run_round();
  Series& series_of(const Compression& step);

  Backend& backend_;
  CompressionPlan plan_;
  int rounds_ = 0;
  std::vector<CompressionTimes> times_;
};

}  // namespace oracle
