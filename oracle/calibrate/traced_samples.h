#pragma once
// What does a recorded trace tell of single kernels and links?
//
// A kernel is a sample where the operation of the host that launched it says its shapes
// (record_shapes=True), and where it is one pass of one layer:
//
//   operation                        layer          passes
//   aten::addmm, aten::mm            dense          forward; inside AddmmBackward or MmBackward,
//                                                   which run two, data first, then weights
//   aten::cudnn_convolution,         convolution    forward; backward by its kernels' names, dgrad
//   aten::convolution_backward                      and wgrad; since PyTorch 2.1, which says
//   strides …batch_norm, …batch_norm_backward batch_norm    forward; all gradients as backward_data
//   aten::native_layer_norm          layer_norm     forward
//
// Products of fp32 are TF32 where their kernels' names say so; all else in fp32 counts for both.
// Rows of a product are samples: where a network has tokens, these are samples · tokens. Of equal
// kernels times are the median, 10th and 90th percentile over all calls.
//
// NCCL's kernels are samples of links where they say collective, type, sizes and group (PyTorch 2.2
// and later). A kernel of NCCL also waits for the other ranks, so of equal calls the fastest
// counts, which waited least.
//
// The rest is left out, and counted by reason.
//
// Worked: addmm of [[128],[64,32],[32,128]] is dense with 64 samples, 32 → 128 features
//                                                         tests/calibrate/traced_samples_test.cpp

#include <cstddef>
#include <map>
#include <string>

#include "oracle/io/calibration/calibration_samples.h"
#include "oracle/io/measurements/measurements.h"
#include "oracle/record/trace.h"

namespace oracle {

struct TracedSamples {
  CalibrationSamples samples;
  std::map<std::string, std::size_t> left_out;  ///< why, and of how many operations or kernels
};

/// `source` names the trace. Of the hints level and per_unit count.
TracedSamples traced_samples(const Trace& trace, const std::string& source,
                             const MeasurementHints& hints = {});

}  // namespace oracle
