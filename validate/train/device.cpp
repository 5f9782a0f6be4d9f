#include "validate/train/device.h"

#include <array>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

constexpr std::array<std::string_view, 1> kOfProcessors = {"fp32"};
constexpr std::array<std::string_view, 4> kOfGpus = {"fp32", "tf32", "bf16", "fp16"};
constexpr std::array kDevices = {TrainDevice{"cpu", "mpi", kOfProcessors},
                                 TrainDevice{"gpu", "nccl", kOfGpus}};

template <class Row>
Row row_named(const std::vector<Row>& rows, std::string_view name, std::string_view device) {
  for (const Row& row : rows) {
    if (row.name == name) return row;
  }
  throw EnvironmentError("this program was built without \"" + std::string(name) +
                         "\", which --device " + std::string(device) +
                         " needs; oracle --version says what was found, and a build where CUDA, "
                         "cuDNN and NCCL are has it");
}

}  // namespace

const TrainDevice& device_named(std::string_view name) {
  std::vector<std::string> known;
  for (const TrainDevice& device : kDevices) {
    if (device.name == name) return device;
    known.emplace_back(device.name);
  }
  throw InputError("--device", "unknown name " + in_quotes(name), suggestion(name, known));
}

BackendRow backend_for(const TrainDevice& device, std::string_view precision) {
  std::string name(device.name);
  if (precision != "fp32") name += "-" + std::string(precision);
  return row_named(all_backends(), name, device.name);
}

CommunicatorRow communicator_for(const TrainDevice& device) {
  return row_named(all_communicators(), device.communicator, device.name);
}

}  // namespace oracle
