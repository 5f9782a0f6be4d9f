#pragma once
// How long does the model say that one kernel takes, repeated alone?
//
// As benchmarks of kernels run them (DeepBench): no other kernel between, any workspace, tensors
// channels last where a matrix unit runs. In a step the same kernel takes longer (roofline.h).
//
// Worked: a product 4096x7000x4096 in fp32 on a V100 takes 17.0 ms (measured: 15.9)
//                                                         tests/accuracy/kernel_times_test.cpp

#include <array>
#include <cstdint>

#include "oracle/cluster/cluster.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/training.h"

namespace oracle {

/// One group, dense. Height before width.
struct ConvolutionShape {
  std::int64_t samples = 1, channels = 1, features = 1;
  std::array<std::int64_t, 2> map{1, 1}, kernel{1, 1}, stride{1, 1}, pad{0, 0};
};

KernelDemand product_demand(std::int64_t m, std::int64_t n, std::int64_t k,
                            const Precision& precision);

/// Of a forward or backward pass. Throws InputError where the window does not fit.
KernelDemand convolution_demand(const ConvolutionShape& shape, Pass pass,
                                const Precision& precision);

Seconds product_alone(std::int64_t m, std::int64_t n, std::int64_t k, const Precision& precision,
                      const Cluster& cluster);

Seconds convolution_alone(const ConvolutionShape& shape, Pass pass, const Precision& precision,
                          const Cluster& cluster);

}  // namespace oracle
