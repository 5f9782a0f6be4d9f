#include "validate/train/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace {

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
  EXPECT_EQ(backend_for(device_named("gpu"), "tf32").name, "gpu-tf32");
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

}  // namespace
}  // namespace oracle
