#include "microbench/kernels/gpu/device/movement/places.h"
#include "microbench/kernels/gpu/device/movement/resample.h"

namespace oracle::gpu {
namespace {

/// Axes are depth, height, width.
struct Tables {
  std::int64_t in[3], out[3], channels;
  const Read* reads[3];
  const Readers* readers[3];
};

Tables tables_of(const Resampling& r) {
  Tables t{{r.input.depth, r.input.height, r.input.width},
           {r.output.depth, r.output.height, r.output.width},
           r.input.channels,
           {},
           {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    t.reads[axis] = r.reads[axis];
    t.readers[axis] = r.readers[axis];
  }
  return t;
}

ORACLE_DEVICE std::int64_t offset(const std::int64_t* extents, std::int64_t channels,
                                  std::int64_t sample, std::int64_t d, std::int64_t h,
                                  std::int64_t w) {
  return (((sample * extents[0] + d) * extents[1] + h) * extents[2] + w) * channels;
}

/// What the first or the second neighbour is, and counts.
ORACLE_DEVICE std::int64_t neighbour(const Read& read, int which) {
  return which == 0 ? read.first : read.second;
}
ORACLE_DEVICE float share(const Read& read, int which) {
  return which == 0 ? read.of_first : read.of_second;
}
/// How much of position `i` is in what was read.
ORACLE_DEVICE float share_of(const Read& read, std::int64_t i) {
  return (read.first == i ? read.of_first : 0) + (read.second == i ? read.of_second : 0);
}

}  // namespace

template <class T>
void resample(Stream stream, const Resampling& resampling, const T* x, T* y) {
  const Tables t = tables_of(resampling);
  parallel_for(stream, resampling.output.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const At at = place(t.out, t.channels, i);
    const Read d = t.reads[0][at.p[0]];
    const Read h = t.reads[1][at.p[1]];
    const Read w = t.reads[2][at.p[2]];
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const int a = corner / 4, b = corner / 2 % 2, c = corner % 2;
      const float of = share(d, a) * share(h, b) * share(w, c);
      if (of == 0) continue;
      const std::int64_t from =
          offset(t.in, t.channels, at.sample, neighbour(d, a), neighbour(h, b), neighbour(w, c));
      sum += of * wide(x[from + at.channel]);
    }
    y[i] = static_cast<T>(sum);
  });
}

template <class T>
void resample_backward(Stream stream, const Resampling& resampling, const T* dy, T* dx) {
  const Tables t = tables_of(resampling);
  parallel_for(stream, resampling.input.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const At at = place(t.in, t.channels, i);
    const Readers ds = t.readers[0][at.p[0]];
    const Readers hs = t.readers[1][at.p[1]];
    const Readers ws = t.readers[2][at.p[2]];
    float sum = 0;
    for (std::int64_t d = ds.begin; d < ds.end; ++d) {
      const float of_depth = share_of(t.reads[0][d], at.p[0]);
      for (std::int64_t h = hs.begin; h < hs.end; ++h) {
        const float of_row = of_depth * share_of(t.reads[1][h], at.p[1]);
        for (std::int64_t w = ws.begin; w < ws.end; ++w) {
          const float of = of_row * share_of(t.reads[2][w], at.p[2]);
          if (of == 0) continue;
          sum += of * wide(dy[offset(t.out, t.channels, at.sample, d, h, w) + at.channel]);
        }
      }
    }
    dx[i] = static_cast<T>(sum);
  });
}

#define ORACLE_OF(T)                                               \
  template void resample(Stream, const Resampling&, const T*, T*); \
  template void resample_backward(Stream, const Resampling&, const T*, T*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
