#pragma once
// Which items exchange a bucket of gradients that travels compressed?
//
//   sum              compress, all-reduce, restore
//   gather           compress, all-gather, restore
//   scatter_gather   compress, all-to-all, reduce, all-gather, restore
//   sketch           compress, all-reduce, reduce, all-reduce, restore
//   merge            compress, butterfly with a reduce behind each of its log2(P) swaps, restore
//
// Of n values of g bytes, c(n) once compressed, over P ranks (m = n, or P parts of n/P):
//
//   step       touches                                              holds
//   compress   n·g read; with feedback 8m added to what was not      c(m), twice where it merges
//              sent, which is read and written, 8m, or read each
//              time that is selected, 4n; c(m) written
//   reduce     of P parts c(n/P) read and 8n/P added, c(n/P)        P·c(n/P) + c(n/P)
//   (sketch)   4n read for each row, 4n written, 16n to select      4n + c(n) + 4k
//   (merge)    2·c(n) read and written, read each time that is      4·c(n)
//              selected, c(n) written, log2(P) times
//   restore    what arrived, n·g written; with feedback what        with feedback 4n; what arrived
//              arrived once more where it is added up, 4n
//              written and read
//
// Worked: 1000 fp32 values over 4 ranks by int8 (parts of 250 in 256 bytes): compress touches
// 4000 + 8000 + 8000 + 1024 = 21024 bytes and keeps 4000 + 1000 from one step to the next
//                                              tests/plan/exchanges/compressed_bucket_test.cpp

#include <array>
#include <cstddef>
#include <span>

#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/plan.h"

namespace oracle {

class CompressedBucket {
 public:
  /// `sum`: the all-reduce of the bucket as it is, of values of `value_bytes`, over `ranks` ranks.
  CompressedBucket(const ChosenExchange& exchange, const Transfer& sum, int value_bytes,
                   std::int64_t ranks);

  /// Each needs the one before it.
  std::span<const Action> steps() const { return {steps_.data(), count_}; }

 private:
  void add(const Action& step) { steps_[count_++] = step; }
  Transfer transfer(Collective collective, double bytes, double given) const;
  /// What a step takes and makes, in bytes.
  struct Flow {
    double inputs, input, output;
    double times = 1;
  };
  Compression compression(CompressionStep step, const Flow& flow, double touched, double held,
                          double kept = 0) const;

  std::string_view exchange_;
  Transfer sum_;
  std::int64_t elements_;
  std::array<Action, 5> steps_;
  std::size_t count_ = 0;
};

/// Values of each rank's part.
inline std::int64_t part_of(std::int64_t elements, std::int64_t ranks) {
  return (elements + ranks - 1) / ranks;
}

}  // namespace oracle
