#pragma once
// Which of the measured kernels are the very ones that the engine prices?
//
// A kernel's price is found under its key, a pass on a local piece; so is a sample:
//
//   sample              layer kind    passes                            as measured in
//   conv                convolution   forward, backward data, weights   fp32, tf32: NCHW; else NHWC
//   gemm (m, n, k)      dense         the same: m samples, k → n
//   ops batch_norm      batch_norm    forward; all gradients            as conv; fp32 is tf32 too
//   ops layer_norm      layer_norm    forward                           the same
//
// The rest is left out: activations, pools, softmax and losses, whose names do not say which layer
// each would be; layer_norm's gradients, measured together and priced apart; updates, which come
// per set of tensors; attention, which is no layer kind. The gradients of a bias are not in a
// sample.
//
// Several samples may have one key (windows that differ in their padding alone). Then t is midway
// between their medians m. The interval holds each sample's own, whose 90 % half-width is that of
// normal errors with the 10th and 90th percentile p as measured:
//
//   u = max (|m − t| + 1.2835·max(p90 − m, m − p10)) / t           1.2835 = 1.6449 / 1.2816
//
// Worked: 100 us, p10 99, p90 104 → 100 us ± 5.1 %      tests/calibrate/sampled_kernels_test.cpp

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "oracle/cluster/profile.h"
#include "oracle/io/samples/samples.h"

namespace oracle {

struct SampledKernels {
  std::vector<KernelTime> kernels;              ///< sorted by key, as a profile wants them
  std::map<std::string, std::size_t> left_out;  ///< why, and of how many cases
};

SampledKernels sampled_kernels(const samples::Samples& samples);

}  // namespace oracle
