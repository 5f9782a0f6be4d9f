#pragma once
// How does a kernel join many values (reductions.h)? The loop that all reductions run, for .cu
// files.
//                                                     tests/microbench/kernels/batch_norm_test.cpp

#include "microbench/kernels/gpu/device/reductions/reductions.h"
#include "microbench/kernels/gpu/device/runtime/lanes.h"

namespace oracle::gpu {

/// Enough threads for any device, where each takes several columns at once, and a bound for what
/// they leave to be joined.
inline constexpr std::int64_t kThreads = std::int64_t{1} << 18;
inline constexpr std::int64_t kMostChunks = 4096;
/// Partial results that one thread joins in a further pass.
inline constexpr std::int64_t kFanIn = 32;

struct alignas(16) Two {
  double first, second;
};

struct Sum {
  using Value = Two;
  static ORACLE_DEVICE Two none() { return {0, 0}; }
  static ORACLE_DEVICE Two join(Two a, Two b) { return {a.first + b.first, a.second + b.second}; }
};

/// What the threads of a column have to join lies in memory that is counted: a column is divided
/// where columns alone are few, and no thread takes fewer than so many rows.
inline constexpr std::int64_t kEnoughColumns = 1 << 16;
inline constexpr std::int64_t kLeastRows = 32;

inline std::int64_t chunks_of(const Reduction& shape) {
  const std::int64_t columns = shape.segments * shape.width;
  if (columns >= kEnoughColumns) return 1;
  std::int64_t chunks = kThreads / columns;
  if (chunks > kMostChunks) chunks = kMostChunks;
  if (chunks > shape.length / kLeastRows) chunks = shape.length / kLeastRows;
  return chunks < 1 ? 1 : chunks;
}

inline std::int64_t fewer(std::int64_t chunks) { return (chunks + kFanIn - 1) / kFanIn; }

/// Joins what `chunks` threads of each column left in `partial`.
template <class Op, class Store>
void join_chunks(Stream stream, typename Op::Value* partial, std::int64_t chunks,
                 const Reduction& shape, Store store) {
  using Value = typename Op::Value;
  const Reduction s = shape;
  const std::int64_t columns = s.segments * s.width;
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

/// Lanes of one row of a segment.
template <int n>
struct Row : Lanes<n> {
  std::int64_t segment, number;
};

/// Of lanes of n columns.
template <int n, class Op, class Prepare, class Store>
void reduce_columns_of(Stream stream, void* scratch, const Reduction& shape, Prepare prepare,
                       Store store) {
  using Value = typename Op::Value;
  const Reduction s = shape;
  auto* partial = static_cast<Value*>(scratch);
  const std::int64_t chunks = chunks_of(s);
  const std::int64_t groups = s.width / n;
  parallel_for(stream, s.segments * groups * chunks, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t column = i % groups * n;
    const std::int64_t chunk = i / groups % chunks;
    const std::int64_t segment = i / (groups * chunks);
    const auto term = prepare(Lanes<n>{column});
    Value value[n];
    for (int lane = 0; lane < n; ++lane) value[lane] = Op::none();
    ORACLE_UNROLLED
    for (std::int64_t row = chunk; row < s.length; row += chunks) {
      const Row<n> at{{(segment * s.length + row) * s.width + column}, segment, row};
      term(at, [&](int lane, Value of) { value[lane] = Op::join(value[lane], of); });
    }
    for (int lane = 0; lane < n; ++lane) {
      if (chunks == 1) {
        store(segment, column + lane, value[lane]);
      } else {
        partial[(segment * chunks + chunk) * s.width + column + lane] = value[lane];
      }
    }
  });
  join_chunks<Op>(stream, partial, chunks, shape, store);
}

/// `term(segment, row, column, index of the value)` is what one value gives, `store(segment,
/// column, result)` takes what all of a column give.
template <class Op, class Term, class Store>
void reduce(Stream stream, void* scratch, const Reduction& shape, Term term, Store store) {
  reduce_columns_of<1, Op>(
      stream, scratch, shape,
      [=] ORACLE_DEVICE(auto column) {
        return [=](auto at, auto join) {
          join(0, term(at.segment, at.number, column.begin, at.begin));
        };
      },
      store);
}

/// The same by as many columns at once as are a load of T, where their number allows it and values
/// are `packed`: prepare(lanes of the first row) makes the term, which is called with the lanes of
/// a row and join(lane, what its value gives).
template <class T, class Op, class Prepare, class Store>
void reduce_columns(Stream stream, void* scratch, const Reduction& shape, bool packed,
                    Prepare prepare, Store store) {
  if (packed && shape.width % kLanes<T> == 0) {
    reduce_columns_of<kLanes<T>, Op>(stream, scratch, shape, prepare, store);
  } else {
    reduce_columns_of<1, Op>(stream, scratch, shape, prepare, store);
  }
}

}  // namespace oracle::gpu
