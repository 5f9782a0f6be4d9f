#include "microbench/compute/grid.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace grid_test {

TEST(Grid, WorkedNumber) {
  const std::vector<LayerCase> quick = grid(GridSize::quick);
  EXPECT_NEAR(static_cast<double>(quick.size()), 165, 25);
  for (const LayerCase& of : quick) {
    const Layer layer = layer_of(of);
    EXPECT_LE(2e-9 * static_cast<double>(of.samples * layer.output.elements() * layer.reduction),
              1.5)
        << to_text(of);
  }
}

TEST(Grid, EveryRowHasTheShapesItPromises) {
  for (const GridSize size : {GridSize::quick, GridSize::full}) {
    std::size_t wanted = 0;
    for (const GridRow& row : grid_rows()) {
      wanted += static_cast<std::size_t>(size == GridSize::quick ? row.quick : row.full);
    }
    EXPECT_EQ(grid(size).size(), wanted);
  }
}

TEST(Grid, EachShapeIsThereOnceAndComesBackFromItsText) {
  std::set<std::string> seen;
  for (const LayerCase& of : grid(GridSize::full)) {
    EXPECT_TRUE(seen.insert(to_text(of)).second) << to_text(of);
    EXPECT_EQ(to_text(parse_layer_case(to_text(of))), to_text(of));
  }
}

TEST(Grid, ShapesSpreadOverWhatARowAllows) {
  std::map<std::int64_t, int> kernels;
  std::int64_t least = 1 << 20, most = 0;
  for (const LayerCase& of : grid(GridSize::full)) {
    if (of.kind != "convolution" || of.spatial_rank != 2 || of.attributes.find("groups")) continue;
    const Layer layer = layer_of(of);
    ++kernels[layer.window.kernel[1]];
    least = std::min(least, of.inputs[0].channels());
    most = std::max(most, of.inputs[0].channels());
  }
  for (const std::int64_t kernel : {1, 3, 5, 7}) EXPECT_GE(kernels[kernel], 10) << kernel;
  EXPECT_LE(least, 4);
  EXPECT_GE(most, 1024);
}

TEST(Grid, IsTheSameEachTime) {
  const std::vector<LayerCase> a = grid(GridSize::quick), b = grid(GridSize::quick);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(to_text(a[i]), to_text(b[i]));
}

}  // namespace grid_test
}  // namespace oracle
