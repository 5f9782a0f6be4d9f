// Linear attention position by position beside all pairs written out, and the convolution before.

#include "tests/microbench/kernels/kinds.h"

namespace oracle {
namespace linear_attention_kernels_test {

using LinearAttentionKinds = OfKinds;

TEST_P(LinearAttentionKinds, MatchesReference) { expect_like_reference(trial()); }

TEST_P(LinearAttentionKinds, ReferenceIsConsistent) { expect_reference_consistent(trial()); }

Extents text(std::int64_t features, std::int64_t tokens) { return {1, features, 1, 1, tokens}; }

const KindCase kCases[] = {
    {"convolution", "causal_convolution", 2, text(16, 9)},
    {"convolution_with_bias", "causal_convolution", 3, text(10, 5), {{"bias", true}}},
    {"sums_alone",
     "causal_convolution",
     2,
     text(7, 6),
     {{"taps", 3}, {"function", std::string("none")}}},
    {"shorter_than_its_taps", "causal_convolution", 2, text(5, 2), {{"taps", 4}}},
    {"delta",
     "linear_attention",
     2,
     text(12, 9),
     {{"heads", 2}},
     {text(12, 9), text(16, 9), text(2, 9), text(2, 9)}},
    {"delta_with_shared_keys",
     "linear_attention",
     2,
     text(12, 7),
     {{"heads", 2}, {"value_heads", 4}},
     {text(12, 7), text(20, 7), text(4, 7), text(4, 7)}},
    {"delta_in_chunks",
     "linear_attention",
     1,
     text(6, 8),
     {{"heads", 1}, {"chunk", 3}},
     {text(6, 8), text(5, 8), text(1, 8), text(1, 8)}},
    {"decay",
     "linear_attention",
     2,
     text(8, 9),
     {{"heads", 1}, {"value_heads", 3}, {"rule", std::string("decay")}},
     {text(8, 9), text(12, 9), text(3, 9)}},
    {"decay_in_chunks",
     "linear_attention",
     2,
     text(8, 7),
     {{"heads", 2}, {"rule", std::string("decay")}, {"chunk", 4}},
     {text(8, 7), text(6, 7), text(2, 7)}},
};

INSTANTIATE_TEST_SUITE_P(All, LinearAttentionKinds, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// Heads 2 and 3 of 4, with the keys of theirs.
TEST(PartsOfLinearAttention, SomeHeads) {
  const OneLayer one("linear_attention", text(12, 7),
                     {{"heads", std::int64_t{2}}, {"value_heads", std::int64_t{4}}},
                     {text(12, 7), text(20, 7), text(4, 7), text(4, 7)});
  LocalLayer piece = one.whole(2);
  piece.inputs[0].channels = piece.inputs[1].channels = 6;
  piece.inputs[2].channels = piece.output.channels = piece.place.channels = 10;
  piece.inputs[3].channels = piece.inputs[4].channels = 2;
  piece.groups = 1;
  expect_like_reference(random_trial(piece));
}

}  // namespace linear_attention_kernels_test
}  // namespace oracle
