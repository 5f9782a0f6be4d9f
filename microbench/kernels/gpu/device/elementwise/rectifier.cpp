#include "microbench/kernels/gpu/device/elementwise/rectifier.h"

#include <vector>

namespace oracle::gpu {

Rectifier::Rectifier(cudnnDataType_t type, int channels, std::size_t axes) {
  std::vector<int> dims(axes + 2, 1), strides(axes + 2, 1);
  dims[1] = strides[0] = channels;
  check(cudnnCreateTensorDescriptor(&bias_), "cudnnCreateTensorDescriptor");
  check(cudnnSetTensorNdDescriptor(bias_, type, static_cast<int>(dims.size()), dims.data(),
                                   strides.data()),
        "cudnnSetTensorNdDescriptor");
  check(cudnnCreateActivationDescriptor(&function_), "cudnnCreateActivationDescriptor");
  check(cudnnSetActivationDescriptor(function_, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0),
        "cudnnSetActivationDescriptor");
}

Rectifier::~Rectifier() {
  static_cast<void>(cudnnDestroyActivationDescriptor(function_));
  static_cast<void>(cudnnDestroyTensorDescriptor(bias_));
}

}  // namespace oracle::gpu
