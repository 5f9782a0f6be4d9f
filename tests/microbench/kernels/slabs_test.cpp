// Pieces as cuts make them: slabs with halos, windows that leave more over than a stride or begin
// behind the slab's first row, parts of the filters and channels. The reference runs over the very
// same piece.

#include <gtest/gtest.h>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace slabs_test {

using reference::Trial;
using reference::Values;

/// A slab along the height: rows read, rows written, and the padding it needs.
struct Slab {
  const char* name;
  std::int64_t kernel, stride, dilation;
  std::int64_t rows_in, rows_out, before, after;
};

class Slabs : public testing::TestWithParam<Slab> {
 protected:
  /// `layer` cut to the slab.
  static LocalLayer cut(LocalLayer layer) {
    const Slab& slab = GetParam();
    layer.inputs[0].height = slab.rows_in;
    layer.output.height = slab.rows_out;
    layer.window.pad_before[1] = slab.before;
    layer.window.pad_after[1] = slab.after;
    return layer;
  }
  static Attributes attributes() {
    const Slab& slab = GetParam();
    return {{"kernel", slab.kernel},
            {"stride", slab.stride},
            {"dilation", slab.dilation},
            {"pad", slab.kernel > 1 ? 1 : 0}};
  }
};

TEST_P(Slabs, Convolution) {
  for (const std::int64_t channels : {16, 5}) {
    Attributes with = attributes();
    with.set("features", std::int64_t{16});
    const OneLayer one("convolution", {1, channels, 1, 16, 16}, with);
    expect_like_reference(random_trial(cut(one.whole(2))));
  }
}

TEST_P(Slabs, MaxPool) {
  const OneLayer one("pool", {1, 16, 1, 16, 16}, attributes());
  expect_like_reference(random_trial(cut(one.whole(2))));
}

TEST_P(Slabs, AveragePool) {
  Attributes with = attributes();
  with.set("mode", std::string("average"));
  const OneLayer one("pool", {1, 16, 1, 16, 16}, with);
  expect_like_reference(random_trial(cut(one.whole(1))));
}

const Slab kSlabs[] = {
    {"top", 3, 1, 1, 5, 4, 1, 0},
    {"middle", 3, 1, 1, 6, 4, 0, 0},
    {"bottom", 3, 1, 1, 5, 4, 0, 1},
    {"strided_top", 3, 2, 1, 5, 2, 1, 0},
    {"one_row", 3, 1, 1, 3, 1, 0, 0},
    {"one_row_padded", 3, 1, 1, 2, 1, 1, 0},
    {"dilated", 3, 1, 2, 7, 3, 0, 0},
    {"leftover_of_stride", 2, 2, 1, 9, 3, 0, 0},
    {"leftover_of_one", 3, 1, 1, 9, 4, 0, 0},
    {"begins_later", 2, 2, 1, 8, 3, -1, 0},
    {"both", 2, 3, 1, 12, 2, -2, 0},
};

INSTANTIATE_TEST_SUITE_P(All, Slabs, testing::ValuesIn(kSlabs),
                         [](const auto& test) { return std::string(test.param.name); });

/// The gradient of a slab's own rows from a dy with halos: padding on either side may exceed the
/// layer's.
TEST(BackwardGeometry, PaddingBeyondTheLayers) {
  const OneLayer one("convolution", {1, 16, 1, 8, 8},
                     {{"features", 32}, {"kernel", 3}, {"pad", 1}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].height = 4;
  piece.output.height = 6;
  piece.window.pad_before[1] = 2;
  piece.window.pad_after[1] = 2;
  expect_like_reference(random_trial(piece));
}

TEST(Parts, SomeFiltersOfSomeChannels) {
  const OneLayer one("convolution", {1, 48, 1, 6, 6},
                     {{"features", 64}, {"kernel", 3}, {"pad", 1}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = 17;
  piece.output.channels = 21;
  expect_like_reference(random_trial(piece));
}

TEST(Parts, SomeGroups) {
  const OneLayer one("convolution", {1, 32, 1, 6, 6},
                     {{"features", 32}, {"kernel", 3}, {"pad", 1}, {"groups", 32}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = piece.output.channels = piece.groups = 11;
  expect_like_reference(random_trial(piece));
}

TEST(Parts, SomeFeaturesOfADenseLayer) {
  const OneLayer one("dense", {1, 100, 1, 1, 1}, {{"features", 40}});
  LocalLayer piece = one.whole(3);
  piece.inputs[0].channels = 33;
  piece.output.channels = 13;
  expect_like_reference(random_trial(piece));
}

TEST(Parts, ADenseLayerOverPositions) {
  const OneLayer one("dense", {1, 32, 1, 1, 1}, {{"features", 24}});
  LocalLayer piece = one.whole(3);
  piece.inputs[0].width = piece.output.width = 7;
  expect_like_reference(random_trial(piece));
}

TEST(Parts, APieceOfAGlobalMean) {
  const OneLayer one("adaptive_pool", {1, 16, 1, 7, 7}, {{"mode", std::string("average")}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].height = 3;
  expect_like_reference(random_trial(piece));
}

TEST(Parts, SlabOfATransposedConvolution) {
  const OneLayer one("transposed_convolution", {1, 16, 1, 6, 6},
                     {{"features", 8}, {"kernel", 4}, {"stride", 2}, {"pad", 1}});
  LocalLayer piece = one.whole(1);
  piece.inputs[0].height = 4;
  piece.output.height = 5;
  piece.window.pad_before[1] = 2;
  piece.window.pad_after[1] = 3;
  expect_like_reference(random_trial(piece));
}

}  // namespace slabs_test
}  // namespace oracle
