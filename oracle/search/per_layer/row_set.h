#pragma once
// Which rows of numbers were seen before? A hash table of rows of one width, numbered in the order
// they came.                                       tests/search/per_layer/row_set_test.cpp

#include <cstdint>
#include <span>
#include <vector>

namespace oracle::per_layer {

class RowSet {
 public:
  /// Empties the set; from now on rows have `width` numbers.
  void reset(std::size_t width);

  std::size_t size() const { return size_; }
  std::size_t width() const { return width_; }
  std::span<const std::uint32_t> row(std::uint32_t number) const {
    return std::span(rows_).subspan(number * width_, width_);
  }

  /// The number of `row`, which is size() before where it is new.
  std::uint32_t insert(const std::vector<std::uint32_t>& row);

 private:
  std::size_t slot_of(std::span<const std::uint32_t> row) const;
  void grow();

  std::size_t width_ = 0, size_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace oracle::per_layer
