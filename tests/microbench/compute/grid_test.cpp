#include "microbench/compute/grid.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "microbench/kernels/cpu/kernels.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace grid_test {

TEST(Grid, WorkedNumber) {
  const std::vector<LayerCase> quick = grid(GridSize::quick);
  EXPECT_NEAR(static_cast<double>(quick.size()), 295, 25);
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

/// Whatever a rank of processors runs is measured, and often enough in either grid for a fit.
TEST(Grid, EveryKindThatRanksRunHasShapesForAFit) {
  constexpr int kForAFit = 4;
  std::map<std::string_view, int> full, quick;
  for (const GridRow& row : grid_rows()) {
    full[row.kind] += row.full;
    quick[row.kind] += row.quick;
  }
  for (const KernelRow& kernel : all_kernels()) {
    EXPECT_GE(full[kernel.kind], kForAFit) << kernel.kind;
  }
  for (const char* of_texts :
       {"dense", "layer_norm", "rms_norm", "attention", "rotary", "head_concat", "gate",
        "activation", "add", "added_rows", "prepended_rows", "embedding", "softmax", "dispatch",
        "expert_dense", "combine", "softmax_loss"}) {
    EXPECT_GE(quick[of_texts], kForAFit) << of_texts;
  }
}

TEST(Grid, RowsOfTextsHaveTokens) {
  const auto cases = grid(GridSize::full);
  const auto tokens = std::count_if(cases.begin(), cases.end(), [](const LayerCase& of) {
    return of.inputs.front()[Axis::sequence] > 1;
  });
  EXPECT_GE(tokens, 200);
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
