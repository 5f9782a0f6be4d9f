// Every kind but convolutions, batch norm, dropout and losses, in shapes that fill blocks and that
// do not.

#include "tests/microbench/kernels/kinds.h"

#include <gtest/gtest.h>

namespace oracle {
namespace kinds_test {

using Kinds = OfKinds;

TEST_P(Kinds, MatchesReference) { expect_like_reference(trial()); }

TEST_P(Kinds, ReferenceIsConsistent) { expect_reference_consistent(trial()); }

using List = std::vector<std::int64_t>;

const KindCase kCases[] = {
    {"dense", "dense", 3, {1, 10, 1, 1, 1}, {{"features", 7}}},
    {"dense_blocked", "dense", 4, {1, 32, 1, 1, 1}, {{"features", 64}, {"bias", false}}},
    {"dense_of_one", "dense", 1, {1, 1, 1, 1, 1}, {{"features", 1}}},
    {"max", "pool", 2, {1, 16, 1, 9, 9}, {{"kernel", 3}, {"stride", 2}, {"pad", 1}}},
    {"max_odd", "pool", 2, {1, 5, 1, 8, 7}, {{"kernel", 2}}},
    {"max_ceil", "pool", 1, {1, 16, 1, 8, 8}, {{"kernel", 3}, {"stride", 2}, {"ceil", true}}},
    {"max_dilated", "pool", 1, {1, 16, 1, 8, 8}, {{"kernel", 2}, {"stride", 1}, {"dilation", 2}}},
    {"average",
     "pool",
     2,
     {1, 16, 1, 8, 8},
     {{"mode", std::string("average")}, {"kernel", 3}, {"stride", 2}, {"pad", 1}}},
    {"average_odd",
     "pool",
     2,
     {1, 3, 1, 7, 7},
     {{"mode", std::string("average")}, {"kernel", 2}, {"stride", 2}}},
    {"average_volume",
     "pool",
     1,
     {1, 16, 4, 6, 5},
     {{"mode", std::string("average")}, {"kernel", List{2, 3, 2}}, {"stride", List{2, 1, 1}}}},
    {"max_volume", "pool", 2, {1, 6, 4, 5, 6}, {{"kernel", 2}}},
    {"adaptive",
     "adaptive_pool",
     2,
     {1, 16, 1, 8, 8},
     {{"mode", std::string("average")}, {"output", 7}}},
    {"adaptive_same",
     "adaptive_pool",
     2,
     {1, 16, 1, 6, 6},
     {{"mode", std::string("average")}, {"output", 6}}},
    {"global", "adaptive_pool", 2, {1, 32, 1, 7, 7}, {{"mode", std::string("average")}}},
    {"global_odd", "adaptive_pool", 3, {1, 21, 3, 5, 2}, {{"mode", std::string("average")}}},
    {"global_max", "adaptive_pool", 2, {1, 21, 1, 5, 5}, {}},
    {"relu", "activation", 2, {1, 16, 1, 5, 5}},
    {"relu_odd", "activation", 2, {1, 5, 1, 3, 3}},
    {"relu6", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("relu6")}}},
    {"leaky_relu", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("leaky_relu")}}},
    {"sigmoid", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("sigmoid")}}},
    {"tanh", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("tanh")}}},
    {"silu", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("silu")}}},
    {"hardswish", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("hardswish")}}},
    {"silu_odd", "activation", 2, {1, 5, 1, 5, 5}, {{"function", std::string("silu")}}},
    {"hardsigmoid", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("hardsigmoid")}}},
    {"gelu", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("gelu")}}},
    {"elu", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("elu")}}},
    {"softplus", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("softplus")}}},
    {"relu2", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("relu2")}}},
    {"mish", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("mish")}}},
    {"exp", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("exp")}}},
    {"log", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("log")}}},
    {"sqrt", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("sqrt")}}},
    {"abs", "activation", 2, {1, 16, 1, 5, 5}, {{"function", std::string("abs")}}},
    {"add", "add", 2, {1, 16, 1, 4, 5}, {}, {{1, 16, 1, 4, 5}}},
    {"add_three", "add", 2, {1, 7, 2, 4, 5}, {}, {{1, 7, 2, 4, 5}, {1, 7, 2, 4, 5}}},
    {"multiply", "multiply", 2, {1, 16, 1, 4, 5}, {}, {{1, 16, 1, 4, 5}}},
    {"gate", "multiply", 2, {1, 32, 1, 4, 5}, {}, {{1, 32, 1, 1, 1}}},
    {"gate_odd", "multiply", 3, {1, 7, 2, 4, 5}, {}, {{1, 7, 1, 1, 1}}},
    {"concat", "concat", 2, {1, 16, 1, 4, 5}, {}, {{1, 32, 1, 4, 5}}},
    {"concat_odd", "concat", 2, {1, 16, 1, 4, 5}, {}, {{1, 5, 1, 4, 5}, {1, 16, 1, 4, 5}}},
    {"concat_volume", "concat", 1, {1, 3, 2, 4, 5}, {}, {{1, 4, 2, 4, 5}}},
    {"layer_norm", "layer_norm", 3, {1, 32, 1, 1, 1}},
    {"layer_norm_positions", "layer_norm", 2, {1, 16, 1, 3, 4}},
    {"layer_norm_odd", "layer_norm", 2, {1, 5, 1, 3, 4}},
    {"local_response_norm", "local_response_norm", 2, {1, 16, 1, 4, 4}, {{"size", 5}}},
    {"local_response_norm_odd", "local_response_norm", 2, {1, 9, 1, 4, 4}, {{"size", 3}}},
    {"transposed",
     "transposed_convolution",
     2,
     {1, 16, 1, 4, 5},
     {{"features", 32}, {"kernel", 2}, {"stride", 2}}},
    {"transposed_overlap",
     "transposed_convolution",
     2,
     {1, 6, 1, 4, 5},
     {{"features", 5}, {"kernel", 3}, {"stride", 2}, {"pad", 1}, {"output_pad", 1}}},
    {"transposed_grouped",
     "transposed_convolution",
     1,
     {1, 8, 1, 4, 4},
     {{"features", 12}, {"kernel", 3}, {"groups", 4}, {"bias", false}}},
    {"transposed_volume",
     "transposed_convolution",
     1,
     {1, 16, 2, 3, 4},
     {{"features", 16}, {"kernel", 2}, {"stride", 2}}},
    {"flatten", "flatten", 2, {1, 16, 1, 3, 4}},
    {"flatten_odd", "flatten", 3, {1, 5, 2, 3, 4}},
    {"flatten_point", "flatten", 3, {1, 32, 1, 1, 1}},
};

INSTANTIATE_TEST_SUITE_P(All, Kinds, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace kinds_test
}  // namespace oracle
