#include "validate/executor/layer_pass.h"

#include <vector>

#include "oracle/base/error.h"
#include "validate/data/random.h"

namespace oracle {
namespace {

constexpr std::uint64_t kNoise = 0x6e6f697365;

/// Within (−1, 1), by place.
double symmetric(std::uint64_t stream, std::uint64_t index) {
  return 2 * uniform(kNoise, stream, index) - 1;
}

void disturb(Tensor& tensor, std::uint64_t stream, double noise) {
  const Box whole{{0, 0, 0, 0, 0}, tensor.extents()};
  std::vector<float> values(static_cast<std::size_t>(tensor.extents().elements()));
  tensor.read(whole, values.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(values[i] * (1 + noise * symmetric(stream, i)));
  }
  tensor.write(whole, values.data());
}

}  // namespace

void run_pass(Pass pass, Kernel& kernel, const Call& call) {
  switch (pass) {
    case Pass::forward:
      return kernel.forward(call);
    case Pass::backward_data:
      return kernel.backward_data(call);
    case Pass::backward_weights:
      return kernel.backward_weights(call);
    default:
      throw Defect("run_pass: the pass is no kernel's");
  }
}

void disturb(Pass pass, const Call& call, double noise) {
  if (pass == Pass::forward) disturb(*call.output, call.layer, noise);
  if (pass != Pass::backward_data) return;
  for (Tensor* gradient : call.input_gradients) {
    if (gradient != nullptr) disturb(*gradient, ~std::uint64_t{call.layer}, noise);
  }
}

}  // namespace oracle
