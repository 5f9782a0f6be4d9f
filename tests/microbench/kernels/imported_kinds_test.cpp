// Kinds that networks of the ONNX reader bring, in shapes that fill blocks and that do not. The
// processor alone has kernels of them.

#include "tests/microbench/kernels/kinds.h"

namespace oracle {
namespace {

using ImportedKinds = OfKinds;

TEST_P(ImportedKinds, MatchesReference) { expect_like_reference(trial()); }

TEST_P(ImportedKinds, ReferenceIsConsistent) { expect_reference_consistent(trial()); }

const KindCase kCases[] = {
    {"softmax", "softmax", 3, {1, 10, 1, 1, 1}},
    {"softmax_at_positions", "softmax", 2, {1, 32, 1, 3, 5}},
    {"softmax_of_heads", "softmax", 2, {1, 60, 1, 1, 150}, {{"groups", 3}}},
    {"softmax_over_positions", "softmax", 2, {1, 5, 2, 3, 7}, {{"over", std::string("positions")}}},
};

INSTANTIATE_TEST_SUITE_P(All, ImportedKinds, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace oracle
