// Kinds that networks of the ONNX reader bring, in shapes that fill blocks and that do not.

#include "oracle/base/error.h"
#include "tests/microbench/kernels/kinds.h"

namespace oracle {
namespace imported_kinds_test {

using ImportedKinds = OfKinds;

TEST_P(ImportedKinds, MatchesReference) { expect_like_reference(trial()); }

TEST_P(ImportedKinds, ReferenceIsConsistent) { expect_reference_consistent(trial()); }

using List = std::vector<std::int64_t>;

const KindCase kCases[] = {
    {"softmax", "softmax", 3, {1, 10, 1, 1, 1}},
    {"softmax_at_positions", "softmax", 2, {1, 32, 1, 3, 5}},
    {"softmax_of_heads", "softmax", 2, {1, 60, 1, 1, 150}, {{"groups", 3}}},
    {"softmax_over_positions", "softmax", 2, {1, 5, 2, 3, 7}, {{"over", std::string("positions")}}},
    {"scores",
     "matmul",
     2,
     {1, 24, 1, 1, 9},
     {{"features", 27}, {"groups", 3}},
     {{1, 24, 1, 1, 9}}},
    {"values",
     "matmul",
     2,
     {1, 27, 1, 1, 9},
     {{"features", 24}, {"groups", 3}},
     {{1, 24, 1, 1, 9}}},
    {"values_said_so",
     "matmul",
     2,
     {1, 16, 1, 1, 5},
     {{"features", 16}, {"groups", 2}, {"turned", true}},
     {{1, 16, 1, 1, 8}}},
    {"of_one_group", "matmul", 3, {1, 32, 1, 4, 4}, {{"features", 20}}, {{1, 32, 1, 1, 20}}},
    {"flat_second",
     "matmul",
     2,
     {1, 6, 1, 1, 4},
     {{"features", 10}, {"groups", 2}},
     {{1, 30, 1, 1, 1}}},
    {"of_one_position", "matmul", 2, {1, 32, 1, 1, 1}, {{"features", 6}}, {{1, 32, 1, 1, 6}}},
    {"square", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("power")}}},
    {"linear_activation", "activation", 2, {1, 5, 1, 3, 3}, {{"function", std::string("linear")}}},
    {"embedding", "embedding", 2, {1, 1, 1, 1, 7}, {{"entries", 5}, {"features", 12}}},
    {"embedding_in_blocks", "embedding", 3, {1, 1, 1, 1, 4}, {{"entries", 50}, {"features", 32}}},
    {"embedding_of_many", "embedding", 2, {1, 1, 1, 1, 9}, {{"entries", 3000}, {"features", 3}}},
    {"shift", "affine", 2, {1, 16, 1, 3, 4}, {}},
    {"shift_places", "affine", 3, {1, 32, 1, 1, 9}, {{"elements", 288}}},
    {"shift_places_odd", "affine", 2, {1, 5, 1, 3, 3}, {{"elements", 45}}},
    {"shift_repeated", "affine", 2, {1, 6, 1, 4, 3}, {{"elements", 18}}},
    {"shift_of_positions", "affine", 2, {1, 10, 1, 4, 3}, {{"elements", 12}}},
    {"scale", "affine", 2, {1, 16, 1, 3, 4}, {{"operation", std::string("scale")}}},
    {"scale_odd",
     "affine",
     2,
     {1, 5, 2, 3, 4},
     {{"operation", std::string("scale")}, {"elements", 120}}},
    {"scale_all",
     "affine",
     2,
     {1, 7, 1, 1, 5},
     {{"operation", std::string("scale")}, {"elements", 1}}},
    {"group_norm", "group_norm", 2, {1, 32, 1, 4, 5}, {{"groups", 4}}},
    {"group_norm_odd", "group_norm", 3, {1, 10, 2, 3, 3}, {{"groups", 5}}},
    {"group_norm_of_one", "group_norm", 2, {1, 24, 1, 3, 3}, {{"groups", 1}, {"affine", false}}},
    {"instance_norm", "group_norm", 2, {1, 16, 1, 5, 5}, {}},
    {"slice_features", "slice", 2, {1, 48, 1, 3, 4}, {{"features", 16}, {"begin_features", 16}}},
    {"slice_features_odd", "slice", 2, {1, 48, 1, 3, 4}, {{"features", 10}, {"begin_features", 5}}},
    {"slice_positions",
     "slice",
     2,
     {1, 16, 1, 5, 4},
     {{"extents", List{2, 3}}, {"begin", List{3, 1}}}},
    {"slice_token", "slice", 2, {1, 32, 1, 1, 9}, {{"extents", 1}}},
    {"slice_volume", "slice", 1, {1, 5, 3, 4, 5}, {{"extents", 2}, {"begin", 1}, {"features", 3}}},
    {"tokens", "reshape", 2, {1, 32, 1, 3, 4}, {{"extents", List{1, 12}}}},
    {"tokens_odd", "reshape", 2, {1, 5, 1, 3, 4}, {{"extents", List{1, 12}}}},
    {"image_of_features",
     "reshape",
     2,
     {1, 32, 1, 3, 4},
     {{"features", 8}, {"extents", List{6, 8}}}},
    {"nearest", "resize", 2, {1, 16, 1, 3, 4}, {{"extents", List{6, 12}}}},
    {"nearest_odd", "resize", 2, {1, 5, 1, 5, 4}, {{"extents", List{7, 3}}}},
    {"nearest_same", "resize", 1, {1, 5, 1, 5, 4}, {{"extents", List{5, 4}}}},
    {"linear", "resize", 2, {1, 16, 1, 3, 4}, {{"mode", std::string("linear")}, {"extents", 8}}},
    {"linear_odd",
     "resize",
     2,
     {1, 5, 1, 7, 6},
     {{"mode", std::string("linear")}, {"extents", List{4, 9}}}},
    {"linear_volume",
     "resize",
     1,
     {1, 6, 2, 3, 4},
     {{"mode", std::string("linear")}, {"extents", List{4, 6, 8}}}},
};

INSTANTIATE_TEST_SUITE_P(All, ImportedKinds, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// Features of a product that begin and end within groups, as an uneven cut makes them.
TEST(PartsOfImported, SomeFeaturesOfAProduct) {
  for (const bool turned : {false, true}) {
    const Extents second = turned ? Extents{1, 20, 1, 1, 6} : Extents{1, 24, 1, 1, 5};
    const OneLayer one("matmul", {1, 24, 1, 1, 7},
                       {{"features", 20}, {"groups", 4}, {"turned", turned}}, {second});
    for (const std::int64_t first : {0, 3, 7}) {
      LocalLayer piece = one.whole(2);
      piece.output.channels = 13;
      piece.place.channels = first;
      expect_like_reference(random_trial(piece));
    }
  }
}

TEST(PartsOfImported, SomeHeads) {
  const OneLayer scores("matmul", {1, 24, 1, 1, 7}, {{"features", 28}, {"groups", 4}},
                        {{1, 24, 1, 1, 7}});
  LocalLayer piece = scores.whole(2);
  piece.inputs[0].channels = piece.inputs[1].channels = 12;
  piece.output.channels = piece.place.channels = 14;
  piece.groups = 2;
  expect_like_reference(random_trial(piece));
}

TEST(PartsOfImported, ASlabOfAPlaceForEachValue) {
  const OneLayer one("affine", {1, 16, 1, 6, 5}, {{"elements", 480}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].height = piece.output.height = 2;
  piece.place.height = 3;
  expect_like_reference(random_trial(piece));
}

TEST(PartsOfImported, SomeChannelsOfATrainedTensor) {
  const OneLayer one("affine", {1, 16, 1, 1, 5}, {{"elements", 80}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = piece.output.channels = 5;
  piece.place.channels = 6;
  expect_like_reference(random_trial(piece));
}

TEST(PartsOfImported, SomeGroupsOfANormalization) {
  const OneLayer one("group_norm", {1, 24, 1, 3, 3}, {{"groups", 4}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = piece.output.channels = piece.place.channels = 12;
  piece.groups = 2;
  expect_like_reference(random_trial(piece));
}

/// What 5 rows become of 10 over 3 ranks: [3, 7) needs rows 1 to 3, and begins in the middle of
/// one.
TEST(PartsOfImported, ASlabOfAWidening) {
  const OneLayer one("resize", {1, 16, 1, 5, 4}, {{"extents", List{10, 8}}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].height = 3;
  piece.output.height = 4;
  piece.window.pad_before[1] = 1;
  expect_like_reference(random_trial(piece));
}

TEST(Embedding, RefusesWhatIsNoRow) {
  const OneLayer one("embedding", {1, 1, 1, 1, 2}, {{"entries", 5}, {"features", 4}});
  const auto backend = backend_under_test();
  const auto kernel = backend->kernel(one.whole(1));
  reference::Values numbers({1, 1, 1, 1, 2});
  numbers.of = {1, 5};
  const auto x = fp32_tensor_of(*backend, numbers);
  const auto y = backend->tensor({1, 4, 1, 1, 2});
  const auto weights = backend->weights(one.whole(1));
  Tensor* const inputs[] = {x.get()};
  Call call;
  call.inputs = inputs;
  call.output = y.get();
  call.weights = weights.get();
  try {
    kernel->forward(call);
    backend->synchronize();
    FAIL() << "it looked up a row that is not there";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("its table has rows 0 to 4"), std::string::npos)
        << error.what();
  }
}

}  // namespace imported_kinds_test
}  // namespace oracle
