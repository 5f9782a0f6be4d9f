#include "microbench/modules/local_place.h"

#include <gtest/gtest.h>
#include <map>

#include "oracle/base/error.h"

namespace oracle {
namespace {

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

}  // namespace
}  // namespace oracle
