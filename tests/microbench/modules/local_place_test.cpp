#include "microbench/modules/local_place.h"

#include <gtest/gtest.h>
#include <map>

#include "oracle/base/error.h"

namespace oracle {
namespace local_place_test {

Environment with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(LocalPlace, AloneWithoutALauncher) { EXPECT_EQ(local_place(with({})), (LocalPlace{0, 1})); }

TEST(LocalPlace, AsEachLauncherTells) {
  EXPECT_EQ(
      local_place(with({{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}})),
      (LocalPlace{2, 4}));
  EXPECT_EQ(local_place(with({{"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}})),
            (LocalPlace{1, 2}));
  EXPECT_EQ(local_place(with({{"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "3"}})),
            (LocalPlace{0, 3}));
  EXPECT_EQ(local_place(with({{"SLURM_LOCALID", "3"}})).rank, 3);
}

TEST(LocalPlace, RefusesWhatIsNoPlace) {
  for (const char* text : {"", "x", "-1", "1.5", " 1", "99999999999"}) {
    EXPECT_THROW(local_place(with({{"LOCAL_RANK", text}})), EnvironmentError) << text;
  }
  EXPECT_THROW(local_place(with({{"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}})),
               EnvironmentError);
}

TEST(LocalPlace, RanksTakeDevicesInTurnUnlessTheyAreToldToShare) {
  const Environment alone = with({});
  EXPECT_EQ(local_device({2, 4}, 2, alone), 0);
  EXPECT_EQ(local_device({3, 4}, 8, alone), 3);
  EXPECT_FALSE(shares_device({3, 4}, 4, alone));
  EXPECT_TRUE(shares_device({3, 4}, 2, alone));

  const Environment pairs = with({{"ORACLE_RANKS_PER_GPU", "2"}});
  EXPECT_EQ(local_device({1, 4}, 8, pairs), 0);
  EXPECT_EQ(local_device({2, 4}, 8, pairs), 1);
  EXPECT_TRUE(shares_device({2, 4}, 8, pairs));
  const Environment each = with({{"ORACLE_RANKS_PER_GPU", "1"}});
  EXPECT_EQ(local_device({3, 4}, 4, each), 3);
  EXPECT_FALSE(shares_device({3, 4}, 4, each));
}

TEST(LocalPlace, SaysWhereThereAreTooFewDevices) {
  const Environment pairs = with({{"ORACLE_RANKS_PER_GPU", "2"}});
  EXPECT_THROW(local_device({2, 4}, 1, pairs), EnvironmentError);
  EXPECT_THROW(local_device({0, 1}, 1, with({{"ORACLE_RANKS_PER_GPU", "many"}})), EnvironmentError);
}

}  // namespace local_place_test
}  // namespace oracle
