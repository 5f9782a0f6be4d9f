#pragma once
// Which rows of a text are an expert's?
//
// Rows lie along the positions, those of one expert together, and every expert has its even share:
// expert e of n has [⌊e·rows/n⌋, ⌊(e+1)·rows/n⌋). What is cut along the rows into as many parts as
// divide n is thus cut between experts.
//
// Worked: 9 rows of 4 experts begin at 0, 2, 4 and 6            tests/graph/kinds/experts_test.cpp

#include <cstdint>

#include "oracle/graph/shape.h"

namespace oracle {

inline std::int64_t first_row_of(std::int64_t expert, std::int64_t rows, std::int64_t experts) {
  return expert * rows / experts;
}

/// Along which axis tokens and rows lie: a sequence, or the width of a layer that stands alone.
inline Axis axis_of_rows(const Shape& shape) {
  return shape[Axis::width] > 1 ? Axis::width : Axis::sequence;
}

}  // namespace oracle
