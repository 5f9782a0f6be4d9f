// Kinds of transformers, whole and in parts, beside a reference with all scores written out.

#include "tests/microbench/kernels/kinds.h"

namespace oracle {
namespace transformer_kinds_test {

using TransformerKinds = OfKinds;

TEST_P(TransformerKinds, MatchesReference) { expect_like_reference(trial()); }

TEST_P(TransformerKinds, ReferenceIsConsistent) { expect_reference_consistent(trial()); }

const KindCase kCases[] = {
    {"rms_norm", "rms_norm", 2, {1, 32, 1, 1, 9}},
    {"rms_norm_odd", "rms_norm", 3, {1, 10, 1, 1, 5}},
    {"rms_norm_of_heads", "rms_norm", 2, {1, 24, 1, 1, 7}, {{"groups", 4}}},
    {"rms_norm_of_heads_apart", "rms_norm", 2, {1, 24, 1, 1, 7}, {{"groups", 4}, {"apart", true}}},
    {"rotary", "rotary", 2, {1, 32, 1, 1, 9}, {{"heads", 2}}},
    {"rotary_part", "rotary", 2, {1, 30, 1, 1, 5}, {{"heads", 3}, {"features", 4}, {"base", 50}}},
    {"gate", "gate", 2, {1, 16, 1, 1, 9}, {}, {{1, 16, 1, 1, 9}}},
    {"gate_gelu",
     "gate",
     2,
     {1, 10, 1, 1, 5},
     {{"function", std::string("gelu")}},
     {{1, 10, 1, 1, 5}}},
    {"gate_sigmoid",
     "gate",
     2,
     {1, 10, 1, 1, 5},
     {{"function", std::string("sigmoid")}},
     {{1, 10, 1, 1, 5}}},
    {"gate_of_positions", "multiply", 2, {1, 32, 1, 4, 5}, {}, {{1, 1, 1, 4, 5}}},
    {"gate_of_positions_odd", "multiply", 3, {1, 7, 1, 1, 5}, {}, {{1, 1, 1, 1, 5}}},
    {"positions", "added_rows", 2, {1, 16, 1, 1, 9}, {{"entries", 12}}},
    {"segments",
     "added_rows",
     2,
     {1, 10, 1, 1, 5},
     {{"entries", 2}, {"by", std::string("segment")}}},
    {"class_token", "prepended_rows", 2, {1, 16, 1, 1, 9}, {{"entries", 1}}},
    {"registers", "prepended_rows", 3, {1, 10, 1, 1, 5}, {{"entries", 3}}},
    {"head_concat", "head_concat", 2, {1, 24, 1, 1, 9}, {{"heads", 4}}, {{1, 4, 1, 1, 9}}},
    {"head_concat_in_blocks",
     "head_concat",
     2,
     {1, 64, 1, 1, 5},
     {{"heads", 2}},
     {{1, 16, 1, 1, 5}}},
    {"attention",
     "attention",
     2,
     {1, 24, 1, 1, 9},
     {{"heads", 4}},
     {{1, 24, 1, 1, 9}, {1, 24, 1, 1, 9}}},
    {"causal",
     "attention",
     2,
     {1, 24, 1, 1, 9},
     {{"heads", 4}, {"causal", true}},
     {{1, 24, 1, 1, 9}, {1, 24, 1, 1, 9}}},
    {"window_of_grouped_heads",
     "attention",
     2,
     {1, 24, 1, 1, 9},
     {{"heads", 4}, {"kv_heads", 2}, {"causal", true}, {"window", 3}},
     {{1, 12, 1, 1, 9}, {1, 12, 1, 1, 9}}},
    {"causal_part_of_the_queries",
     "attention",
     2,
     {1, 24, 1, 1, 4},
     {{"heads", 4}, {"causal", true}, {"first", 3}},
     {{1, 24, 1, 1, 9}, {1, 24, 1, 1, 9}}},
    {"cross",
     "attention",
     2,
     {1, 12, 1, 1, 5},
     {{"heads", 2}},
     {{1, 12, 1, 1, 8}, {1, 12, 1, 1, 8}}},
    {"blocks",
     "attention",
     2,
     {1, 24, 1, 1, 8},
     {{"heads", 4}, {"within", 4}},
     {{1, 24, 1, 1, 8}, {1, 24, 1, 1, 8}}},
    {"windows_with_relative_positions",
     "attention",
     2,
     {1, 24, 1, 1, 8},
     {{"heads", 4}, {"within", 4}, {"relative", 9}},
     {{1, 24, 1, 1, 8}, {1, 24, 1, 1, 8}}},
    {"relative_positions",
     "attention",
     2,
     {1, 12, 1, 1, 14},
     {{"heads", 2}, {"relative", 8}},
     {{1, 12, 1, 1, 14}, {1, 12, 1, 1, 14}}},
    {"causal_relative_positions",
     "attention",
     2,
     {1, 12, 1, 1, 14},
     {{"heads", 2}, {"causal", true}, {"relative", 6}},
     {{1, 12, 1, 1, 14}, {1, 12, 1, 1, 14}}},
    {"values_of_another_size",
     "attention",
     1,
     {1, 12, 1, 1, 6},
     {{"heads", 2}},
     {{1, 12, 1, 1, 6}, {1, 8, 1, 1, 6}}},
};

INSTANTIATE_TEST_SUITE_P(All, TransformerKinds, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// Queries 3 to 6 of 9: the mask goes by their places in the whole text.
TEST(PartsOfTransformers, SomeQueries) {
  const OneLayer one("attention", {1, 24, 1, 1, 9}, {{"heads", 4}, {"causal", true}},
                     {{1, 24, 1, 1, 9}, {1, 24, 1, 1, 9}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].width = piece.output.width = 4;
  piece.place.width = 3;
  expect_like_reference(random_trial(piece));
}

/// Heads 2 and 3 of 4, with the keys of all and with their own.
TEST(PartsOfTransformers, SomeHeads) {
  const OneLayer one("attention", {1, 24, 1, 1, 7}, {{"heads", 4}, {"kv_heads", 2}},
                     {{1, 12, 1, 1, 7}, {1, 12, 1, 1, 7}});
  for (const std::int64_t keys : {12, 6}) {
    LocalLayer piece = one.whole(2);
    piece.inputs[0].channels = piece.output.channels = piece.place.channels = 12;
    piece.inputs[1].channels = piece.inputs[2].channels = keys;
    expect_like_reference(random_trial(piece));
  }
}

/// Heads 2 and 3 of 4, with their own weights.
TEST(PartsOfTransformers, SomeHeadsThatAreNormalizedApart) {
  const OneLayer one("rms_norm", {1, 24, 1, 1, 7}, {{"groups", std::int64_t{4}}, {"apart", true}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = piece.output.channels = piece.place.channels = 12;
  piece.groups = 2;
  expect_like_reference(random_trial(piece));
}

/// Heads 2 and 3 of 4, with what all share.
TEST(PartsOfTransformers, SomeHeadsThatAreJoined) {
  const OneLayer one("head_concat", {1, 24, 1, 1, 7}, {{"heads", std::int64_t{4}}},
                     {{1, 3, 1, 1, 7}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = 12;
  piece.output.channels = piece.place.channels = 18;
  expect_like_reference(random_trial(piece));
}

/// Features 6 to 11 of 16, with their part of the rows.
TEST(PartsOfTransformers, SomeFeaturesOfPrependedRows) {
  const OneLayer one("prepended_rows", {1, 16, 1, 1, 5}, {{"entries", std::int64_t{2}}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = piece.output.channels = 6;
  piece.place.channels = 6;
  expect_like_reference(random_trial(piece));
}

/// Queries 3 to 6 of heads 2 and 3, with their part of the table.
TEST(PartsOfTransformers, SomeHeadsWithRelativePositions) {
  const OneLayer one("attention", {1, 24, 1, 1, 9},
                     {{"heads", std::int64_t{4}}, {"relative", std::int64_t{6}}},
                     {{1, 24, 1, 1, 9}, {1, 24, 1, 1, 9}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = piece.output.channels = piece.place.channels = 12;
  piece.inputs[0].width = piece.output.width = 4;
  piece.place.width = 3;
  expect_like_reference(random_trial(piece));
}

TEST(PartsOfTransformers, SomePositions) {
  for (const char* kind : {"rotary", "added_rows"}) {
    const bool rotary = kind == std::string_view("rotary");
    const OneLayer one(
        kind, {1, 16, 1, 1, 9},
        rotary ? Attributes{{"heads", std::int64_t{2}}} : Attributes{{"entries", std::int64_t{9}}});
    LocalLayer piece = one.whole(2);
    piece.inputs[0].width = piece.output.width = 4;
    piece.place.width = 5;
    expect_like_reference(random_trial(piece));
    piece.positions = {0, 1, 7, 8};
    expect_like_reference(random_trial(piece));
  }
}

}  // namespace transformer_kinds_test
}  // namespace oracle
