#pragma once
// How does one thread take several neighbours at once, 16 bytes a load?
//
// A body is given Lanes: n values side by side, loaded, computed and stored together. It is written
// once for any n; where values do not fill 16 bytes, or do not begin at a multiple of them, it runs
// with n = 1. Divisions that find out where a value lies are done once for all n.
//
//   Worked: 10 values of bf16 are 8 lanes and twice 1; 3 rows of 12 channels, which 8 does not
//           divide, are 36 times 1 by rows or by columns
//                                                     tests/microbench/kernels/gpu/lanes_test.cpp

#include <algorithm>
#include <cstdint>

#include "microbench/kernels/gpu/device/elementwise/elementwise.h"

namespace oracle::gpu {

/// Of type T in one load.
template <class T>
inline constexpr int kLanes = 16 / sizeof(T);

/// Values of n lanes, as they are loaded, stored and computed with.
template <class T, int n>
struct alignas(n * sizeof(T) < 16 ? n * sizeof(T) : 16) Pack {
  T value[n];
  ORACLE_DEVICE T& operator[](int lane) { return value[lane]; }
  ORACLE_DEVICE const T& operator[](int lane) const { return value[lane]; }
};
template <int n>
using Floats = Pack<float, n>;

/// `n` values from number `begin` on.
template <int n>
struct Lanes {
  static constexpr int count = n;
  std::int64_t begin;

  /// As many from another number on.
  ORACLE_DEVICE Lanes at(std::int64_t number) const { return {number}; }
  /// `value` in each lane.
  template <class T>
  ORACLE_DEVICE Pack<T, n> all(T value) const {
    Pack<T, n> made;
    for (int lane = 0; lane < n; ++lane) made[lane] = value;
    return made;
  }
  template <class T>
  ORACLE_DEVICE Pack<T, n> load(const T* values) const {
    return *reinterpret_cast<const Pack<T, n>*>(values + begin);
  }
  template <class T>
  ORACLE_DEVICE Floats<n> of(const T* values) const {
    const Pack<T, n> read = load(values);
    Floats<n> made;
    for (int lane = 0; lane < n; ++lane) made[lane] = wide(read[lane]);
    return made;
  }
  /// `otherwise` in each lane where there are no values.
  template <class T>
  ORACLE_DEVICE Floats<n> of(const T* values, float otherwise) const {
    return values != nullptr ? of(values) : all(otherwise);
  }
  /// `value(lane)` in each lane.
  template <class T, class Value>
  ORACLE_DEVICE void store(T* to, Value value) const {
    Pack<T, n> made;
    for (int lane = 0; lane < n; ++lane) made[lane] = static_cast<T>(value(lane));
    *reinterpret_cast<Pack<T, n>*>(to + begin) = made;
  }
};

/// Whether as many values as are a load of T may be taken at once from these on; a null pointer is
/// never taken from.
template <class T, class... Values>
bool packed(const Values*... values) {
  return ((reinterpret_cast<std::uintptr_t>(values) % alignof(Pack<Values, kLanes<T>>) == 0) &&
          ...);
}

/// Calls body(lanes) for `count` values: as many lanes as are a load of T, and 1 for what is left,
/// or all along where not `packed`.
template <class T, class Body>
void for_values(Stream stream, std::int64_t count, bool packed, Body body) {
  constexpr int n = kLanes<T>;
  if (!packed) {
    parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) { body(Lanes<1>{i}); });
    return;
  }
  const std::int64_t packs = count / n;
  parallel_for(stream, packs + count % n, [=] ORACLE_DEVICE(std::int64_t i) {
    if (i < packs) {
      body(Lanes<n>{i * n});
    } else {
      body(Lanes<1>{packs * n + (i - packs)});
    }
  });
}

/// The same, with all of a body's lanes in one row of `channels`.
template <class T, class Body>
void for_rows(Stream stream, std::int64_t count, std::int64_t channels, bool packed, Body body) {
  for_values<T>(stream, count, packed && channels % kLanes<T> == 0, body);
}

/// Rows that one thread takes at least, so that what it reads of its columns pays; and threads that
/// fill any device.
inline constexpr std::int64_t kLeastRowsOfColumns = 8;
inline constexpr std::int64_t kThreadsOfColumns = std::int64_t{1} << 18;

/// Of lanes of n columns: prepare(lanes of the first row) makes the body that is called with the
/// lanes of each row.
template <int n, class Prepare>
void for_columns_of(Stream stream, std::int64_t rows, std::int64_t channels, Prepare prepare) {
  const std::int64_t groups = channels / n;
  const std::int64_t begins =
      std::max<std::int64_t>(1, std::min(kThreadsOfColumns / groups, rows / kLeastRowsOfColumns));
  parallel_for(stream, groups * begins, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t column = i % groups * n;
    const auto body = prepare(Lanes<n>{column});
    for (std::int64_t row = i / groups; row < rows; row += begins) {
      body(Lanes<n>{row * channels + column});
    }
  });
}

template <class T, class Prepare>
void for_columns(Stream stream, const Planes& planes, bool packed, Prepare prepare) {
  if (packed && planes.channels % kLanes<T> == 0) {
    for_columns_of<kLanes<T>>(stream, planes.rows(), planes.channels, prepare);
  } else {
    for_columns_of<1>(stream, planes.rows(), planes.channels, prepare);
  }
}

}  // namespace oracle::gpu
