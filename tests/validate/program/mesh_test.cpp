#include "validate/program/mesh.h"

#include <gtest/gtest.h>

namespace oracle {
namespace mesh_test {

const std::vector<std::int64_t> kDegrees = {2, 3};

TEST(Mesh, NumbersRanksWithTheLastAxisFastest) {
  const Mesh mesh(kDegrees);
  EXPECT_EQ(mesh.ranks(), 6);
  EXPECT_EQ(mesh.coordinate(4, 0), 1);
  EXPECT_EQ(mesh.coordinate(4, 1), 1);
  EXPECT_EQ(mesh.number(5, 0b10), 2);
  EXPECT_EQ(mesh.number(5, 0b11), 5);
}

TEST(Mesh, GroupsAgreeOnAllOtherAxes) {
  const Mesh mesh(kDegrees);
  EXPECT_EQ(mesh.group_of(4, 0b01), (std::vector<int>{1, 4}));
  EXPECT_EQ(mesh.group_of(4, 0b10), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(mesh.groups(0b10), (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(mesh.neighbour(4, 0b10, 2), 5);
}

TEST(Mesh, OfOneRankHasNoAxes) {
  const Mesh mesh({});
  EXPECT_EQ(mesh.ranks(), 1);
  EXPECT_EQ(mesh.group_of(0, 0), std::vector<int>{0});
}

}  // namespace mesh_test
}  // namespace oracle
