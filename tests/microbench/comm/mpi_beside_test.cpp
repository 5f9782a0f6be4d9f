#include "microbench/comm/mpi_beside.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace mpi_beside_test {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(MpiBeside, IsTheMachinesWhereNoneCameAlong) {
  const fs::path root = fs::path(testing::TempDir()) / "oracle-mpi-none";
  fs::create_directories(root / "bin");
  EXPECT_EQ(mpirun_for(root / "bin/oracle-train"), "mpirun");
  EXPECT_THAT(mpi_environment(root / "bin/oracle-train"), IsEmpty());
  fs::remove_all(root);
}

TEST(MpiBeside, IsTheOneThatCameAlong) {
  const fs::path root = fs::path(testing::TempDir()) / "oracle-mpi-beside";
  const std::string prefix = (root / "lib/oracle/mpi").string();
  fs::create_directories(prefix + "/bin");
  std::ofstream(prefix + "/bin/mpirun") << "#!/bin/sh\n";
  EXPECT_EQ(mpirun_for(root / "bin/oracle-train"), prefix + "/bin/mpirun");
  EXPECT_THAT(
      mpi_environment(root / "bin/oracle-train"),
      UnorderedElementsAre(Pair("OPAL_PREFIX", prefix), Pair("OPAL_SYSCONFDIR", prefix + "/etc"),
                           Pair("PMIX_MCA_pcompress_base_silence_warning", "1")));
  fs::remove_all(root);
}

}  // namespace mpi_beside_test
}  // namespace oracle
