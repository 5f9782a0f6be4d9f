#include "microbench/kernels/gpu/device/elementwise/fused.h"

#include <algorithm>
#include <array>

#include "oracle/graph/kinds/kind.h"

namespace oracle::gpu {
namespace {

struct Row {
  std::string_view kind;
  bool backward = false;
};

constexpr std::array kRectified = {Row{"convolution"}, Row{"dense"}, Row{"batch_norm", true},
                                   Row{"add"}};

}  // namespace

bool fuses_on_gpus(const LocalLayer& layer) {
  if (layer.then->kind->name != "activation" || layer.then->variant != "relu") return false;
  return std::any_of(kRectified.begin(), kRectified.end(), [&](const Row& row) {
    return row.kind == layer.layer->kind->name && row.backward == layer.then_backward;
  });
}

}  // namespace oracle::gpu
