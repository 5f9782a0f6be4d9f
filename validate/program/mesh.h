#pragma once
// Which ranks communicate along a set of mesh axes?
//
// Ranks number the mesh in mixed radix, the last axis fastest (oracle/cluster/placement.h). A group
// along some axes holds the ranks that agree on all others, in ascending order.
//
// Worked: degrees 2, 3: rank 4 is (1, 1); its group along axis 0 is {1, 4}
//                                                            tests/validate/program/mesh_test.cpp

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/cluster/placement.h"

namespace oracle {

class Mesh {
 public:
  explicit Mesh(std::span<const std::int64_t> degrees);

  int ranks() const { return ranks_; }
  std::size_t axes() const { return degrees_.size(); }
  std::int64_t degree(std::size_t axis) const { return degrees_[axis]; }
  std::span<const std::int64_t> degrees() const { return degrees_; }
  std::int64_t coordinate(int rank, std::size_t axis) const;

  /// The coordinates over `axes` as one number, the outermost counting most.
  std::int64_t number(int rank, AxisSet axes) const;

  std::vector<int> group_of(int rank, AxisSet along) const;
  /// Every group along these axes, by first member.
  std::vector<std::vector<int>> groups(AxisSet along) const;
  /// The rank at `number` over `axes` that otherwise lies where `rank` does.
  int neighbour(int rank, AxisSet axes, std::int64_t number) const;

 private:
  std::vector<std::int64_t> degrees_;
  std::vector<std::int64_t> strides_;
  int ranks_ = 1;
};

}  // namespace oracle
