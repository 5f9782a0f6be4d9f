#pragma once
// How long does a GPU convolve?
//
// A convolution is the product that it amounts to, with rules of its own for each pass:
//
//   pass               m                     n         k                     tiles            k cut
//   forward            positions             features  channels*window       128 rows         no
//   data gradient      input positions       channels  features*window*w/s   128 rows         no
//   weight gradient    channels*window       features  positions             32 and 64 too    yes
//
// s = the product of the strides. Libraries multiply part of the zeros that a stride inserts into
// a data gradient: w = 1 + hole*(s - 1); of a 1x1 window m is positions*w and k features. That
// gradient is cleared before it is written. A 1x1 window with a stride reads 1/s of its input.
// Matrix units take channels and features in eights, and tensors channels last: others are turned
// round and back, which reads and writes them twice more. Groups are packed until a tile has 32
// features, zeros counted.
//
// Minimal filtering (Lavin & Gray, CVPR 2016) is another algorithm of the vector unit, for windows
// of 3x3 and 5x5 at stride 1 with 16 channels and features or more; the least time wins:
//
//   fused F(2x2,3x3)    16 products of (tiles, features, channels) in one kernel, not of weights
//   unfused F(4x4,rxr)  (4+r-1)^2 products, 4 kernels, the transformed maps written and read;
//                       they must fit into the workspace
//
// With few input channels a part of the rate is left (GpuLibrary::few), unless images are padded.
//
// A depthwise convolution reaches 0.35 of the bandwidth, its weight gradient 0.1.
//
// Worked: 16 maps of 256x28x28 to 512 features, 3x3, fp32 on a V100: 848, 852 and 802 us
// (measured: 801, 859, 766)                            tests/cost/compute/gpu_kernels_test.cpp

#include "oracle/cost/compute/gpu_product.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/cost/compute/roofline_terms.h"

namespace oracle {

/// `matrix`: on the matrix unit.
RooflineTerms convolution_terms(const KernelDemand& demand, DataType type, bool matrix,
                                const GpuLibrary& library, const GpuShare& share);

/// Part of the streaming bandwidth that a pass of a depthwise convolution reaches.
double depthwise_part(Pass pass);

}  // namespace oracle
