#pragma once
// How does a kernel join many values (reductions.h)? The loop that all reductions run, for .cu
// files.
//                                                     tests/microbench/kernels/batch_norm_test.cpp

#include "microbench/kernels/gpu/device/reductions.h"

namespace oracle::gpu {

/// Enough threads for any device, and a bound for what they leave to be joined.
inline constexpr std::int64_t kThreads = std::int64_t{1} << 17;
inline constexpr std::int64_t kMostChunks = 1024;
/// Partial results that one thread joins in a further pass.
inline constexpr std::int64_t kFanIn = 32;

struct Two {
  double first, second;
};

struct Sum {
  using Value = Two;
  static ORACLE_DEVICE Two none() { return {0, 0}; }
  static ORACLE_DEVICE Two join(Two a, Two b) { return {a.first + b.first, a.second + b.second}; }
};

/// What the threads of a column have to join lies in memory that is counted: a column is divided
/// where columns alone are few, and no thread takes fewer than so many rows.
inline constexpr std::int64_t kEnoughColumns = 1 << 14;
inline constexpr std::int64_t kLeastRows = 16;

inline std::int64_t chunks_of(const Reduction& shape) {
  const std::int64_t columns = shape.segments * shape.width;
  if (columns >= kEnoughColumns) return 1;
  std::int64_t chunks = kThreads / columns;
  if (chunks > kMostChunks) chunks = kMostChunks;
  if (chunks > shape.length / kLeastRows) chunks = shape.length / kLeastRows;
  return chunks < 1 ? 1 : chunks;
}

inline std::int64_t fewer(std::int64_t chunks) { return (chunks + kFanIn - 1) / kFanIn; }

/// `term(segment, row, column, index of the value)` is what one value gives, `store(segment,
/// column, result)` takes what all of a column give.
template <class Op, class Term, class Store>
void reduce(Stream stream, void* scratch, const Reduction& shape, Term term, Store store) {
  using Value = typename Op::Value;
  const Reduction s = shape;
  std::int64_t chunks = chunks_of(s);
  const std::int64_t columns = s.segments * s.width;
  auto* partial = static_cast<Value*>(scratch);
  const std::int64_t first = chunks;
  parallel_for(stream, columns * first, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t column = i % s.width;
    const std::int64_t chunk = i / s.width % first;
    const std::int64_t segment = i / (s.width * first);
    Value value = Op::none();
    for (std::int64_t row = chunk; row < s.length; row += first) {
      const std::int64_t index = (segment * s.length + row) * s.width + column;
      value = Op::join(value, term(segment, row, column, index));
    }
    if (first == 1) {
      store(segment, column, value);
    } else {
      partial[i] = value;
    }
  });
  while (chunks > 1) {
    const std::int64_t had = chunks;
    const std::int64_t left = fewer(chunks);
    const Value* from = partial;
    Value* to = partial + columns * had;
    parallel_for(stream, columns * left, [=] ORACLE_DEVICE(std::int64_t i) {
      const std::int64_t column = i % s.width;
      const std::int64_t chunk = i / s.width % left;
      const std::int64_t segment = i / (s.width * left);
      Value value = Op::none();
      for (std::int64_t other = chunk; other < had; other += left) {
        value = Op::join(value, from[(segment * had + other) * s.width + column]);
      }
      if (left == 1) {
        store(segment, column, value);
      } else {
        to[i] = value;
      }
    });
    partial = to;
    chunks = left;
  }
}

}  // namespace oracle::gpu
