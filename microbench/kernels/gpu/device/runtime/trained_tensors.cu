#include "microbench/kernels/gpu/device/reductions/reduce.h"
#include "microbench/kernels/gpu/device/runtime/trained_tensors.h"

namespace oracle::gpu {
namespace {

/// A piece as plain numbers that a body can carry.
struct Piece {
  std::int64_t channels, d, h, w;  ///< the piece's
  std::int64_t first_channel, first_d, first_h, first_w;
  std::int64_t whole_h, whole_w, positions;  ///< the network's
  std::int64_t elements, each;

  ORACLE_DEVICE std::int64_t element(std::int64_t i) const {
    const std::int64_t c = i % channels;
    i /= channels;
    const std::int64_t at_w = first_w + i % w;
    i /= w;
    const std::int64_t at_h = first_h + i % h;
    const std::int64_t at_d = first_d + i / h % d;
    const std::int64_t position = (at_d * whole_h + at_h) * whole_w + at_w;
    if (each == 0) return ((first_channel + c) * positions + position) % elements;
    return c * each + position % each;
  }
  /// The value of a sample that element `e` goes with for the k-th time, or −1 if it is not here.
  ORACLE_DEVICE std::int64_t value(std::int64_t e, std::int64_t k) const {
    const std::int64_t number = e + k * elements;
    const std::int64_t c = each == 0 ? number / positions - first_channel : e / each;
    const std::int64_t position = each == 0 ? number % positions : e % each + k * each;
    const std::int64_t at_w = position % whole_w - first_w;
    const std::int64_t at_h = position / whole_w % whole_h - first_h;
    const std::int64_t at_d = position / (whole_w * whole_h) - first_d;
    if (c < 0 || c >= channels || at_w < 0 || at_w >= w || at_h < 0 || at_h >= h || at_d < 0 ||
        at_d >= d) {
      return -1;
    }
    return ((at_d * h + at_h) * w + at_w) * channels + c;
  }
};

Piece piece_of(const Repeated& r) {
  return {r.own.channels,
          r.own.depth,
          r.own.height,
          r.own.width,
          r.begin.channels,
          r.begin.depth,
          r.begin.height,
          r.begin.width,
          r.whole.height,
          r.whole.width,
          r.whole.depth * r.whole.height * r.whole.width,
          r.elements,
          r.each};
}

/// Of an element in the whole network's sample.
std::int64_t times(const Repeated& r) {
  const std::int64_t positions = r.whole.depth * r.whole.height * r.whole.width;
  return r.each == 0 ? r.channels * positions / r.elements : positions / r.each;
}

/// What is no number is no row either.
ORACLE_DEVICE bool is_row(float number, std::int64_t entries) {
  return number >= 0 && number < static_cast<float>(entries);
}

/// Sorted behind all rows.
constexpr std::uint64_t kNoRow = 0xffffffff;

/// What the place of a row is sorted by: its number, then itself.
ORACLE_DEVICE std::uint64_t sorted_as(float number, const Lookup& lookup, std::int64_t row) {
  const std::int64_t here =
      is_row(number, lookup.entries) ? static_cast<std::int64_t>(number) - lookup.first : -1;
  const bool held = here >= 0 && here < lookup.held;
  return (held ? static_cast<std::uint64_t>(here) : kNoRow) << 32 | static_cast<std::uint64_t>(row);
}

std::int64_t power_of_two(std::int64_t least) {
  std::int64_t power = 1;
  while (power < least) power *= 2;
  return power;
}

/// Batcher's bitonic sort (AFIPS 1968), of a power of two of keys.
void sort(Stream stream, std::uint64_t* keys, std::int64_t count) {
  for (std::int64_t run = 2; run <= count; run *= 2) {
    for (std::int64_t apart = run / 2; apart > 0; apart /= 2) {
      parallel_for(stream, count / 2, [=] ORACLE_DEVICE(std::int64_t pair) {
        const std::int64_t first = pair / apart * apart * 2 + pair % apart;
        const std::int64_t second = first + apart;
        const bool rising = (first & run) == 0;
        const std::uint64_t a = keys[first];
        const std::uint64_t b = keys[second];
        if ((a > b) != rising) return;
        keys[first] = b;
        keys[second] = a;
      });
    }
  }
}

}  // namespace

template <class T>
void join_repeated(Stream stream, const Repeated& repeated, Joined how, const T* x, const T* w,
                   T* y) {
  const Piece p = piece_of(repeated);
  const bool product = how == Joined::product;
  parallel_for(stream, repeated.own.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const float with = wide(w[p.element(i)]);
    y[i] = static_cast<T>(product ? wide(x[i]) * with : wide(x[i]) + with);
  });
}

Reduction repetitions(const Repeated& repeated) {
  return {1, repeated.own.samples * times(repeated), repeated.elements};
}

template <class T>
void repeated_sums(Stream stream, void* scratch, const Repeated& repeated, Joined how, const T* x,
                   const T* dy, T* to, bool accumulate) {
  const Piece p = piece_of(repeated);
  const bool product = how == Joined::product;
  const std::int64_t in_sample = times(repeated);
  const std::int64_t sample = repeated.own.elements() / repeated.own.samples;
  reduce<Sum>(
      stream, scratch, repetitions(repeated),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t row, std::int64_t e, std::int64_t) {
        const std::int64_t at = p.value(e, row % in_sample);
        if (at < 0) return Two{0, 0};
        const std::int64_t i = row / in_sample * sample + at;
        return Two{double{wide(dy[i])} * (product ? double{wide(x[i])} : 1.0), 0};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t e, Two sum) {
        to[e] = static_cast<T>(static_cast<float>(sum.first) + (accumulate ? wide(to[e]) : 0));
      });
}

template <class T>
void look_up(Stream stream, const Lookup& lookup, const float* numbers, const T* table, T* y,
             Fault* fault) {
  const std::int64_t features = lookup.features;
  const Lookup of = lookup;
  parallel_for(stream, lookup.rows * features, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / features;
    const float number = numbers[row];
    if (!is_row(number, of.entries)) {
      *fault = {1, number};
      return;
    }
    const std::int64_t here = static_cast<std::int64_t>(number) - of.first;
    const bool held = here >= 0 && here < of.held;
    y[i] = held ? table[here * features + i % features] : static_cast<T>(0.0F);
  });
}

std::int64_t order_bytes(const Lookup& lookup) {
  return power_of_two(lookup.rows) * static_cast<std::int64_t>(sizeof(std::uint64_t));
}

template <class T>
void look_up_backward(Stream stream, void* order, const Lookup& lookup, const float* numbers,
                      const T* dy, T* to) {
  auto* keys = static_cast<std::uint64_t*>(order);
  const std::int64_t rows = lookup.rows;
  const std::int64_t features = lookup.features;
  const Lookup of = lookup;
  const std::int64_t count = power_of_two(rows);
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    keys[i] = i < rows ? sorted_as(numbers[i], of, i) : ~std::uint64_t{0};
  });
  sort(stream, keys, count);
  // Whoever has the first place of a number adds up all of them.
  parallel_for(stream, rows * features, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t first = i / features;
    const std::int64_t feature = i % features;
    const std::uint64_t number = keys[first] >> 32;
    if (number == kNoRow || (first > 0 && keys[first - 1] >> 32 == number)) return;
    double sum = 0;
    for (std::int64_t at = first; at < rows && keys[at] >> 32 == number; ++at) {
      const auto row = static_cast<std::int64_t>(keys[at] & 0xffffffff);
      sum += double{wide(dy[row * features + feature])};
    }
    T& value = to[static_cast<std::int64_t>(number) * features + feature];
    value = static_cast<T>(static_cast<float>(sum) + wide(value));
  });
}

#define ORACLE_OF(T)                                                                          \
  template void join_repeated(Stream, const Repeated&, Joined, const T*, const T*, T*);       \
  template void repeated_sums(Stream, void*, const Repeated&, Joined, const T*, const T*, T*, \
                              bool);                                                          \
  template void look_up(Stream, const Lookup&, const float*, const T*, T*, Fault*);           \
  template void look_up_backward(Stream, void*, const Lookup&, const float*, const T*, T*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
