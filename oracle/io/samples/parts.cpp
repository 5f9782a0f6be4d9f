#include <array>

#include "oracle/io/samples/record.h"

namespace oracle::samples {

std::span<const PartKind> all_parts() {
  static constexpr std::array<PartKind, 8> kParts = {{
      {"ceilings", read_ceiling},
      {"cnn_train", read_cnn_step},
      {"llm_train", read_language_step},
      {"conv", read_convolution},
      {"gemm", read_dense},
      {"ops", read_operation},
      {"layers", read_step_parts},
      {"multi", read_shared},
  }};
  return kParts;
}

}  // namespace oracle::samples
