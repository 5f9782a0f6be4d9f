#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "microbench/kernels/gpu/device/runtime/lanes.h"

namespace oracle::gpu {
namespace {

/// Sizes or a position, as plain numbers that a body can carry.
struct Five {
  std::int64_t n, c, d, h, w;
};

Five five(const Extents& e) { return {e.samples, e.channels, e.depth, e.height, e.width}; }

ORACLE_DEVICE std::int64_t channels_last(const Five& e, const Five& begin, const Five& at) {
  const std::int64_t position = ((begin.d + at.d) * e.h + begin.h + at.h) * e.w + begin.w + at.w;
  return ((begin.n + at.n) * e.d * e.h * e.w + position) * e.c + begin.c + at.c;
}

/// Place `i` of a box, the width innermost.
ORACLE_DEVICE Five dense_place(const Five& size, std::int64_t i) {
  Five at{};
  at.w = i % size.w;
  i /= size.w;
  at.h = i % size.h;
  i /= size.h;
  at.d = i % size.d;
  i /= size.d;
  at.c = i % size.c;
  at.n = i / size.c;
  return at;
}

/// Place `i` of a box, the channels innermost: neighbours in the tensors' memory.
ORACLE_DEVICE Five place(const Five& size, std::int64_t i) {
  Five at{};
  at.c = i % size.c;
  i /= size.c;
  at.w = i % size.w;
  i /= size.w;
  at.h = i % size.h;
  i /= size.h;
  at.d = i % size.d;
  at.n = i / size.d;
  return at;
}

ORACLE_DEVICE std::int64_t dense_offset(const Five& size, const Five& at) {
  return (((at.n * size.c + at.c) * size.d + at.d) * size.h + at.h) * size.w + at.w;
}

}  // namespace

template <class T>
void pack(Stream stream, const T* tensor, const Extents& extents, const Box& box, T* dense) {
  const Five e = five(extents);
  const Five begin = five(box.begin);
  const Five size = five(box.size);
  parallel_for(stream, box.size.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    dense[i] = tensor[channels_last(e, begin, dense_place(size, i))];
  });
}

template <class T>
void unpack(Stream stream, T* tensor, const Extents& extents, const Box& box, const T* dense,
            bool accumulate) {
  const Five e = five(extents);
  const Five begin = five(box.begin);
  const Five size = five(box.size);
  parallel_for(stream, box.size.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const Five at = place(size, i);
    T& value = tensor[channels_last(e, begin, at)];
    const T given = dense[dense_offset(size, at)];
    value = accumulate ? static_cast<T>(wide(value) + wide(given)) : given;
  });
}

template <class T>
void copy_box(Stream stream, const T* from, const Extents& from_extents, const Box& box, T* to,
              const Extents& to_extents, const Extents& begin) {
  const Five source = five(from_extents);
  const Five target = five(to_extents);
  const Five from_begin = five(box.begin);
  const Five to_begin = five(begin);
  const Five size = five(box.size);
  parallel_for(stream, box.size.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const Five at = place(size, i);
    to[channels_last(target, to_begin, at)] = from[channels_last(source, from_begin, at)];
  });
}

template <class T>
void copy_channels(Stream stream, const ChannelCopy& copy, const T* from, T* to) {
  const ChannelCopy c = copy;
  const bool whole_packs = c.from_channels % kLanes<T> == 0 && c.from_begin % kLanes<T> == 0 &&
                           c.to_channels % kLanes<T> == 0 && c.to_begin % kLanes<T> == 0;
  for_rows<T>(stream, c.rows * c.count, c.count, whole_packs && packed<T>(from, to),
              [=] ORACLE_DEVICE(auto at) {
                const std::int64_t row = at.begin / c.count;
                const std::int64_t channel = at.begin % c.count;
                const auto value = at.at(row * c.from_channels + c.from_begin + channel).load(from);
                at.at(row * c.to_channels + c.to_begin + channel).store(to, [&](int lane) {
                  return value[lane];
                });
              });
}

template <class T>
void renumber(Stream stream, const Renumbering& shapes, const T* from, T* to) {
  const Renumbering s = shapes;
  const std::int64_t sample = s.to_channels * s.to_positions;
  parallel_for(stream, s.samples * sample, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t number = i % s.to_channels * s.to_positions + i % sample / s.to_channels;
    const std::int64_t position = number % s.from_positions;
    to[i] = from[i / sample * sample + position * s.from_channels + number / s.from_positions];
  });
}

template <class T>
void to_channels_first(Stream stream, const T* from, std::int64_t outer, std::int64_t channels,
                       std::int64_t positions, T* to) {
  parallel_for(stream, outer * channels * positions, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t position = i % positions;
    const std::int64_t channel = i / positions % channels;
    const std::int64_t matrix = i / (positions * channels);
    to[i] = from[(matrix * positions + position) * channels + channel];
  });
}

template <class T>
void to_channels_last(Stream stream, const T* from, std::int64_t outer, std::int64_t channels,
                      std::int64_t positions, T* to) {
  parallel_for(stream, outer * channels * positions, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t channel = i % channels;
    const std::int64_t position = i / channels % positions;
    const std::int64_t matrix = i / (positions * channels);
    to[i] = from[(matrix * channels + channel) * positions + position];
  });
}

#define ORACLE_OF(T)                                                                               \
  template void pack(Stream, const T*, const Extents&, const Box&, T*);                            \
  template void unpack(Stream, T*, const Extents&, const Box&, const T*, bool);                    \
  template void copy_box(Stream, const T*, const Extents&, const Box&, T*, const Extents&,         \
                         const Extents&);                                                          \
  template void copy_channels(Stream, const ChannelCopy&, const T*, T*);                           \
  template void renumber(Stream, const Renumbering&, const T*, T*);                                \
  template void to_channels_first(Stream, const T*, std::int64_t, std::int64_t, std::int64_t, T*); \
  template void to_channels_last(Stream, const T*, std::int64_t, std::int64_t, std::int64_t, T*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
