#include "oracle/cluster/device.h"

namespace oracle {

std::string_view name_of(DataType type) {
  constexpr std::array<std::string_view, kDataTypeCount> kNames = {"fp32", "tf32",  "fp16", "bf16",
                                                                   "fp8",  "mxfp8", "fp4"};
  return kNames[static_cast<std::size_t>(type)];
}

DataType wide_of(DataType type) { return type > DataType::bf16 ? DataType::bf16 : type; }

std::string_view name_of(Fusion fusion) {
  constexpr std::array<std::string_view, kFusionCount> kNames = {
      "convolution_activation", "dense_activation", "batch_norm_activation", "add_activation"};
  return kNames[static_cast<std::size_t>(fusion)];
}

std::string_view name_of(Generation generation) {
  constexpr std::array<std::string_view, kGenerationCount> kNames = {
      "unknown", "kepler", "maxwell", "pascal", "volta",
      "turing",  "ampere", "ada",     "hopper", "blackwell"};
  return kNames[static_cast<std::size_t>(generation)];
}

Fusions fusions_of_kernels(DeviceClass device_class) {
  //                                      convolution dense batch norm add
  constexpr Fusions kOfGpus = {true, true, true, true};
  constexpr Fusions kOfProcessors = {true, true, false, false};
  return device_class == DeviceClass::gpu ? kOfGpus : kOfProcessors;
}

}  // namespace oracle
