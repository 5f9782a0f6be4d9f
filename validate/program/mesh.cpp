#include "validate/program/mesh.h"

#include "oracle/base/error.h"

namespace oracle {

Mesh::Mesh(std::span<const std::int64_t> degrees)
    : degrees_(degrees.begin(), degrees.end()), strides_(degrees.size()) {
  std::int64_t ranks = 1;
  for (std::size_t a = degrees_.size(); a-- > 0;) {
    strides_[a] = ranks;
    ranks *= degrees_[a];
  }
  ranks_ = static_cast<int>(ranks);
}

std::int64_t Mesh::coordinate(int rank, std::size_t axis) const {
  return rank / strides_[axis] % degrees_[axis];
}

std::int64_t Mesh::number(int rank, AxisSet axes) const {
  std::int64_t number = 0;
  for (std::size_t a = 0; a < degrees_.size(); ++a) {
    if ((axes >> a) & 1U) number = number * degrees_[a] + coordinate(rank, a);
  }
  return number;
}

std::vector<int> Mesh::group_of(int rank, AxisSet along) const {
  std::vector<int> members;
  const AxisSet others = ~along;
  for (int other = 0; other < ranks_; ++other) {
    if (number(other, others) == number(rank, others)) members.push_back(other);
  }
  return members;
}

std::vector<std::vector<int>> Mesh::groups(AxisSet along) const {
  std::vector<std::vector<int>> all;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (number(rank, along) == 0) all.push_back(group_of(rank, along));
  }
  return all;
}

int Mesh::neighbour(int rank, AxisSet axes, std::int64_t wanted) const {
  for (const int member : group_of(rank, axes)) {
    if (number(member, axes) == wanted) return member;
  }
  throw Defect("Mesh::neighbour: no rank has that number");
}

}  // namespace oracle
