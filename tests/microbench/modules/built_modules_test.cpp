// The GPU's modules as they are built: each opens, and says what this machine lacks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "microbench/comm/nccl/device_collectives.h"
#include "microbench/kernels/backend.h"
#include "microbench/modules/module.h"
#include "oracle/base/error.h"

namespace oracle {
namespace built_modules_test {

#ifdef ORACLE_KERNELS_GPU
/// What is thrown behind the door is caught before it, and an answer comes whether there is a GPU
/// or not.
TEST(BuiltModule, OfTheGpuOpensAndSaysWhatIsMissing) {
  using Make = Backend* (*)(const char*);
  const auto make =
      reinterpret_cast<Make>(module_symbol("oracle-kernels-gpu", "oracle_make_gpu_backend"));
  try {
    const std::unique_ptr<Backend> backend(make("fp32"));
    EXPECT_EQ(backend->name(), "gpu");
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no GPU to train on"));
  }
}
#endif

#ifdef ORACLE_COMM_NCCL
TEST(BuiltModule, OfNcclOpensAndSaysWhatIsMissing) {
  using Make = DeviceCollectives* (*)();
  const auto make =
      reinterpret_cast<Make>(module_symbol("oracle-comm-nccl", "oracle_make_nccl_collectives"));
  try {
    const std::unique_ptr<DeviceCollectives> collectives(make());
    EXPECT_THAT(collectives->library(), testing::StartsWith("NCCL "));
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no GPU to send from"));
  }
}
#endif

}  // namespace built_modules_test
}  // namespace oracle
