#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "microbench/kernels/cpu/kernels.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace cpu_kernel_table_test {

/// Some kinds have a price and no kernel: of an opaque layer no one knows what it computes.
TEST(CpuKernels, AreThereForEveryKindThatComputesSomething) {
  std::vector<std::string> kinds, kernels;
  for (const Kind* kind : all_kinds()) {
    if (kind->name != "input" && !kind->priced_only) kinds.emplace_back(kind->name);
  }
  for (const KernelRow& row : all_kernels()) kernels.emplace_back(row.kind);
  EXPECT_THAT(kernels, testing::UnorderedElementsAreArray(kinds));
}

}  // namespace cpu_kernel_table_test
}  // namespace oracle
