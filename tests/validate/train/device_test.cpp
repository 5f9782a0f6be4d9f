#include "validate/train/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace device_test {

TEST(TrainDevice, NamesItsCommunicator) {
  EXPECT_EQ(device_named("cpu").communicator, "mpi");
  EXPECT_EQ(device_named("gpu").communicator, "nccl");
}

TEST(TrainDevice, RefusesAnotherName) {
  try {
    device_named("gpus");
    FAIL() << "gpus is no device";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--device: unknown name \"gpus\""));
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"gpu\""));
  }
}

TEST(TrainDevice, TakesTheRowOfItsPrecision) {
  EXPECT_EQ(backend_for(device_named("cpu"), "fp32").name, "cpu");
  EXPECT_EQ(communicator_for(device_named("cpu")).name, "mpi");
#ifdef ORACLE_KERNELS_GPU
  EXPECT_EQ(backend_for(device_named("gpu"), "fp32").name, "gpu");
  for (const std::string_view precision : device_named("gpu").precisions) {
    const std::string suffix = precision == "fp32" ? "" : "-" + std::string(precision);
    EXPECT_EQ(backend_for(device_named("gpu"), precision).name, "gpu" + suffix);
  }
#endif
}

TEST(TrainDevice, SaysWhatWasNotBuilt) {
  try {
    backend_for(device_named("cpu"), "tf32");
    FAIL() << "the processor rounds no factors";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("built without \"cpu-tf32\""));
  }
}

}  // namespace device_test
}  // namespace oracle
