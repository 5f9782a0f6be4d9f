#include "microbench/modules/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    EXPECT_THAT(error.what(), testing::HasSubstr("oracle-no-such-module.so is not in the folder"));
  }
}

}  // namespace module_test
}  // namespace oracle
