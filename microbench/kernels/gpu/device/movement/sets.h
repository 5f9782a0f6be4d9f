#pragma once
// Which values of a tensor does a normalization by a sample's own statistics take together, and
// what does it do with them?
//
// A set is `each` channels side by side over all positions of a sample. A group of group norm is
// one; of layer norm each position is a sample of its own, and its channels are one set.
//
//   Worked: 2 samples of 3 positions of 8 channels in sets of 4: value 29 (sample 1, position 0,
//           channel 5) lies in set 3 of 4, as its value 1
//                                             tests/microbench/kernels/imported_kinds_test.cpp

#include "microbench/kernels/gpu/device/reductions/reductions.h"

namespace oracle::gpu {

struct Sets {
  std::int64_t samples = 0, positions = 0, channels = 0, each = 1;

  std::int64_t count() const { return samples * (channels / each); }
  std::int64_t values() const { return positions * each; }
  std::int64_t elements() const { return samples * positions * channels; }
  Reduction shape() const { return {count(), values(), 1}; }

  /// The set of a value of the tensor.
  ORACLE_DEVICE std::int64_t of(std::int64_t i) const {
    return i / (positions * channels) * (channels / each) + i % channels / each;
  }
  /// Where value `k` of a set lies.
  ORACLE_DEVICE std::int64_t place(std::int64_t set, std::int64_t k) const {
    const std::int64_t groups = channels / each;
    const std::int64_t row = set / groups * positions + k / each;
    return row * channels + set % groups * each + k % each;
  }
};

// Mean and inverse deviation of a Normalization are by set here, γ and β by channel; those may be
// null.

/// Of each set its mean and 1/√(σ² + ε).
template <class T>
void set_moments(Stream stream, void* scratch, const Sets& sets, double epsilon, const T* x,
                 float* mean, float* inverse);
/// Σγ·dy of each set, then Σγ·dy·x̂.
template <class T>
void set_sums(Stream stream, void* scratch, const Sets& sets, const Normalization& by, const T* x,
              const T* dy, float* sums);
/// Over all samples and positions: Σdy·x̂ of each channel, then Σdy. Scratch memory as of one
/// segment, a row for each sample and position, a column for each channel.
template <class T>
void sums_over_sets(Stream stream, void* scratch, const Sets& sets, const Normalization& by,
                    const T* x, const T* dy, float* sums);
/// y = γ·x̂ + β
template <class T>
void normalize_sets(Stream stream, const Sets& sets, const Normalization& by, const T* x, T* y);
/// dx = inverse·(γ·dy − Σγ·dy/m − x̂·Σγ·dy·x̂/m) over the m values of a set.
template <class T>
void normalize_sets_backward(Stream stream, const Sets& sets, const Normalization& by,
                             const float* sums, const T* x, const T* dy, T* dx);

}  // namespace oracle::gpu
