#include "oracle/io/data_path.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace data_path_test {

/// Sets ORACLE_DATA for one test.
class DataPath : public testing::Test {
 protected:
  void SetUp() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
  void TearDown() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
};

TEST_F(DataPath, FollowsTheVariable) {
  EXPECT_EQ(data_root(), std::filesystem::path(ORACLE_SOURCE_DIR));
  setenv("ORACLE_DATA", "/proc", 1);
  EXPECT_THROW(data_root(), EnvironmentError);
}

TEST_F(DataPath, ListsNamesInOrder) {
  const std::vector<std::string> names = names_in("data/clusters");
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_NE(std::find(names.begin(), names.end(), "abci"), names.end());
  EXPECT_THROW(names_in("data/nothing"), EnvironmentError);
}

TEST_F(DataPath, ResolvesNamesAndPaths) {
  EXPECT_EQ(resolve("cluster", "data/clusters", "abci"),
            std::filesystem::path(ORACLE_SOURCE_DIR) / "data/clusters/abci.json");
  EXPECT_EQ(resolve("cluster", "data/clusters", "mine.json"), "mine.json");
  EXPECT_EQ(resolve("cluster", "data/clusters", "./mine"), "./mine");
}

TEST_F(DataPath, SuggestsTheNameThatWasMeant) {
  try {
    resolve("cluster", "data/clusters", "abcy");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "cluster: \"abcy\" is unknown; did you mean \"abci\"? See: oracle list clusters");
  }
}

}  // namespace data_path_test
}  // namespace oracle
