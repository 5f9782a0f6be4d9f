#include "microbench/modules/vendor_libraries.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "microbench/modules/module.h"
#include "oracle/base/error.h"

namespace oracle {
namespace vendor_libraries_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A root of its own, gone with the value.
class Root {
 public:
  Root() {
    std::string pattern = testing::TempDir() + "oracle-vendor-";
    pattern.append(6, 'X');
    path_ = mkdtemp(pattern.data());
  }
  ~Root() { fs::remove_all(path_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  const fs::path& path() const { return path_; }
  fs::path folder(const std::string& name) const {
    fs::create_directories(path_ / name);
    return path_ / name;
  }

 private:
  fs::path path_;
};

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(VendorLibraries, LieInAnActivePythonEnvironment) {
  const Root root;
  const fs::path cudnn = root.folder("env/lib/python3.11/site-packages/nvidia/cudnn/lib");
  const auto folders = vendor_folders(
      environment_of({{"VIRTUAL_ENV", (root.path() / "env").string()}}), root.path() / "none");
  EXPECT_THAT(folders, ElementsAre(cudnn));
}

TEST(VendorLibraries, LieBesideThePythonOfThePath) {
  const Root root;
  const fs::path nccl = root.folder("py/lib/python3.12/site-packages/nvidia/nccl/lib");
  std::ofstream(root.folder("py/bin") / "python3") << "";
  const std::string path = root.folder("empty").string() + ":" + (root.path() / "py/bin").string();
  EXPECT_THAT(vendor_folders(environment_of({{"PATH", path}}), root.path() / "none"),
              ElementsAre(nccl));
}

TEST(VendorLibraries, LieInAToolkitTheNewestFirst) {
  const Root root;
  const fs::path old = root.folder("usr/local/cuda-12.4/lib64");
  const fs::path recent = root.folder("usr/local/cuda-13.0/lib64");
  EXPECT_THAT(vendor_folders(environment_of({}), root.path()), ElementsAre(recent, old));
}

TEST(VendorLibraries, OfOneEnvironmentComeBeforeThoseOfTheSystem) {
  const Root root;
  const fs::path theirs = root.folder("usr/lib/python3/dist-packages/nvidia/cublas/lib");
  const fs::path mine = root.folder("home/.local/lib/python3.11/site-packages/nvidia/cublas/lib");
  EXPECT_THAT(
      vendor_folders(environment_of({{"HOME", (root.path() / "home").string()}}), root.path()),
      ElementsAre(mine, theirs));
}

TEST(VendorLibraries, TheLoaderSaysWhichOneItMisses) {
  EXPECT_EQ(missing_library("libcudnn.so.9: cannot open shared object file: No such file or "
                            "directory"),
            "libcudnn.so.9");
  EXPECT_EQ(missing_library("/a/b.so: undefined symbol: c"), std::nullopt);
  EXPECT_EQ(missing_library("/a/b.so: cannot open shared object file: No such file or directory"),
            std::nullopt);
}

/// ORACLE_VENDOR_MODULE needs a library that only an environment's folder holds, and that one a
/// second beside it.
TEST(VendorLibraries, AreOpenedForWhoNeedsThem) {
  const OpenedLibrary without = open_library(ORACLE_VENDOR_MODULE, {});
  EXPECT_EQ(without.handle, nullptr);
  EXPECT_THAT(without.text, HasSubstr("liboracle_test_vendor.so"));

  const auto folders =
      vendor_folders(environment_of({{"VIRTUAL_ENV", ORACLE_VENDOR_ENVIRONMENT}}), "/nowhere");
  ASSERT_EQ(folders.size(), 2U);
  const OpenedLibrary with = open_library(ORACLE_VENDOR_MODULE, folders);
  EXPECT_NE(with.handle, nullptr) << with.text;
}

TEST(VendorLibraries, AModuleSaysWhereTheyAreLookedFor) {
  const Root root;
  std::ofstream(root.path() / "oracle-broken.so") << "no library";
  setenv("ORACLE_MODULES", root.path().c_str(), 1);
  try {
    module_symbol("oracle-broken", "door");
    FAIL() << "a file that is no library";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nvidia/*/lib of an active Python environment"));
  }
  unsetenv("ORACLE_MODULES");
}

}  // namespace vendor_libraries_test
}  // namespace oracle
