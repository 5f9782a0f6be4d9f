// Tokens to experts and back, whole and in parts.

#include "tests/microbench/kernels/kinds.h"

namespace oracle {
namespace experts_test {

using Experts = OfKinds;

TEST_P(Experts, MatchReference) { expect_like_reference(trial()); }

TEST_P(Experts, ReferenceIsConsistent) { expect_reference_consistent(trial()); }

// 9 tokens for 4 experts, 2 each: 18 rows, in shares of 4 and 5.
const KindCase kCases[] = {
    {"dispatch", "dispatch", 2, {1, 32, 1, 1, 9}, {{"per_token", 2}}, {{1, 4, 1, 1, 9}}},
    {"dispatch_odd", "dispatch", 3, {1, 10, 1, 1, 8}, {{"per_token", 1}}, {{1, 3, 1, 1, 8}}},
    {"dispatch_to_all", "dispatch", 2, {1, 16, 1, 1, 5}, {{"per_token", 3}}, {{1, 3, 1, 1, 5}}},
    {"dispatch_with_room",
     "dispatch",
     2,
     {1, 16, 1, 1, 8},
     {{"per_token", 2}, {"capacity_percent", 150}},
     {{1, 4, 1, 1, 8}}},
    {"dispatch_of_few",
     "dispatch",
     2,
     {1, 16, 1, 1, 8},
     {{"per_token", 2}, {"capacity_percent", 50}},
     {{1, 4, 1, 1, 8}}},
    {"expert_dense", "expert_dense", 2, {1, 32, 1, 1, 12}, {{"experts", 4}, {"features", 48}}},
    {"expert_dense_odd", "expert_dense", 3, {1, 10, 1, 1, 18}, {{"experts", 4}, {"features", 7}}},
    {"more_experts_than_rows",
     "expert_dense",
     2,
     {1, 10, 1, 1, 3},
     {{"experts", 5}, {"features", 7}}},
    {"combine", "combine", 2, {1, 32, 1, 1, 18}, {}, {{1, 4, 1, 1, 9}}},
    {"combine_odd", "combine", 3, {1, 10, 1, 1, 8}, {}, {{1, 3, 1, 1, 8}}},
    {"combine_with_room", "combine", 2, {1, 16, 1, 1, 24}, {{"per_token", 2}}, {{1, 4, 1, 1, 8}}},
    {"combine_of_few", "combine", 2, {1, 16, 1, 1, 8}, {{"per_token", 2}}, {{1, 4, 1, 1, 8}}},
};

INSTANTIATE_TEST_SUITE_P(All, Experts, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// Experts 2 and 3 of 4, whose rows of 18 are 9 to 17.
TEST(PartsOfExperts, SomeExperts) {
  const OneLayer one("expert_dense", {1, 16, 1, 1, 18},
                     {{"experts", std::int64_t{4}}, {"features", std::int64_t{24}}});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].width = piece.output.width = 9;
  piece.place.width = 9;
  piece.first_row = piece.rows = 2;
  expect_like_reference(random_trial(piece));
}

/// 8 of 24 features of every expert, then 6 of 16 channels.
TEST(PartsOfExperts, SomeFeatures) {
  const OneLayer one("expert_dense", {1, 16, 1, 1, 12},
                     {{"experts", std::int64_t{4}}, {"features", std::int64_t{24}}});
  LocalLayer piece = one.whole(2);
  piece.output.channels = 8;
  expect_like_reference(random_trial(piece));
  piece.inputs[0].channels = 6;
  expect_like_reference(random_trial(piece));
}

/// With the scores of all experts.
TEST(PartsOfExperts, SomeFeaturesOfRows) {
  for (const char* kind : {"dispatch", "combine"}) {
    const OneLayer one(kind, {1, 16, 1, 1, 8}, {{"per_token", std::int64_t{1}}}, {{1, 4, 1, 1, 8}});
    LocalLayer piece = one.whole(2);
    piece.inputs[0].channels = piece.output.channels = piece.place.channels = 6;
    expect_like_reference(random_trial(piece));
  }
}

}  // namespace experts_test
}  // namespace oracle
