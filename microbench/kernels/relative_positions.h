#pragma once
// Which row of its table of relative positions does attention add for a query and a key?
//
// In square windows of side s (Layer::heads.within = s², rows in the order of the image) a row for
// each offset of two places, (2s − 1)² of them: Liu et al., Swin transformer, arXiv 2103.14030,
// section 3.2. Of a text a row for each distance that is short, and for ever more of those that are
// longer, up to 128: Raffel et al., T5, arXiv 1910.10683, section 2.1; half of the rows for keys
// behind the query, unless none is read.
//
// Worked: 32 rows, not causal: a key 3 before the query has row 3, 3 behind it row 19, 20 before it
// row 10; windows of 2 by 2: first place to last row 0 of 9, to itself row 4
//                                        tests/microbench/kernels/relative_positions_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/graph/layer.h"

namespace oracle {

class RelativePositions {
 public:
  /// Of a layer with such a table. Throws InputError where its rows are not those of its windows.
  explicit RelativePositions(const Layer& layer);

  std::int64_t rows() const { return rows_; }
  /// Positions count within the whole text.
  std::int64_t row_of(std::int64_t query, std::int64_t key) const;

 private:
  std::int64_t rows_ = 0;
  std::int64_t side_ = 0;                  ///< of windows; 0: a text
  std::int64_t longest_ = 0;               ///< distance that has a row of its own in `by_distance_`
  std::vector<std::int64_t> by_distance_;  ///< key − query, from −longest_ to longest_
};

}  // namespace oracle
