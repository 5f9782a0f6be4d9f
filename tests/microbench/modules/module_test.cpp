#include "microbench/modules/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "microbench/comm/nccl/device_collectives.h"
#include "microbench/kernels/backend.h"
#include "oracle/base/error.h"

namespace oracle {
namespace module_test {

TEST(Module, IsLookedForBesideTheProgramAndInItsLib) {
  EXPECT_THAT(module_folders("/opt/oracle/bin/oracle-train", ""),
              testing::ElementsAre("/opt/oracle/bin", "/opt/oracle/lib/oracle", "/opt/oracle/lib",
                                   "/opt/lib"));
}

TEST(Module, IsLookedForInTheNamedFolderAlone) {
  EXPECT_THAT(module_folders("/opt/oracle/bin/oracle-train", "/elsewhere"),
              testing::ElementsAre("/elsewhere"));
}

TEST(Module, SaysWhichIsMissing) {
  try {
    module_symbol("oracle-no-such-module", "door");
    FAIL() << "a module that nobody built";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("oracle-no-such-module.so is not beside"));
  }
}

#ifdef ORACLE_KERNELS_GPU
/// What is thrown behind the door is caught before it, and an answer comes whether there is a GPU
/// or not.
TEST(Module, OfTheGpuOpensAndSaysWhatIsMissing) {
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
TEST(Module, OfNcclOpensAndSaysWhatIsMissing) {
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

}  // namespace module_test
}  // namespace oracle
