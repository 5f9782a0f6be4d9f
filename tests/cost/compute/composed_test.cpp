#include "oracle/cost/compute/composed.h"

#include <gtest/gtest.h>

#include "oracle/cost/compute/kernel.h"
#include "oracle/graph/layer_case.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace composed_test {

Training eager(const char* precision) {
  Training training = training_of(precision);
  training.framework.composed = {"rms_norm", "rotary", "gate"};
  return training;
}

TEST(Composed, WorkedNumber) {
  const Layer norm = layer_of(parse_layer_case("rms_norm 1:4096"));
  const auto forward = composed_traffic(norm, {}, Pass::forward, eager("bf16"));
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward->bytes_per_output, 36);
  EXPECT_EQ(composed_traffic(norm, {}, Pass::backward_data, eager("bf16"))->bytes_per_output, 84);
  EXPECT_EQ(demand(norm, whole(norm, 2), Pass::forward, eager("bf16")).traffic.value,
            2 * 4096 * 36);
  EXPECT_EQ(demand(norm, whole(norm, 2), Pass::forward, eager("bf16")).kernels, 8);
}

TEST(Composed, NothingIsTurnedIntoFp32ThatIsIt) {
  const Layer norm = layer_of(parse_layer_case("rms_norm 1:4096"));
  EXPECT_EQ(composed_traffic(norm, {}, Pass::forward, eager("fp32"))->bytes_per_output, 28);
}

TEST(Composed, KindsThatAreNotNamedAreOneKernel) {
  const Layer norm = layer_of(parse_layer_case("rms_norm 1:4096"));
  Training training = eager("bf16");
  EXPECT_FALSE(composed_traffic(norm, {}, Pass::backward_weights, training));
  EXPECT_FALSE(composed_traffic(layer_of(parse_layer_case("layer_norm 1:4096")), {}, Pass::forward,
                                training));
  training.framework.composed = {"gate"};
  EXPECT_FALSE(composed_traffic(norm, {}, Pass::forward, training));
  EXPECT_EQ(demand(norm, whole(norm, 1), Pass::forward, training).kernels, 1);
}

TEST(Composed, AGateReadsItsFunctionAgain) {
  const Layer gate = layer_of(parse_layer_case("gate 1:64+64 function=silu"));
  EXPECT_EQ(composed_traffic(gate, {}, Pass::forward, eager("bf16"))->bytes_per_output, 10);
  EXPECT_EQ(composed_traffic(gate, {}, Pass::backward_data, eager("bf16"))->bytes_per_output, 18);
}

/// Scale and mask of 2 bytes, a cast each way, and 4 bytes in the softmax; under autocast the
/// reader casts back.
TEST(Composed, AttentionsScoresAreScaledMaskedAndWidened) {
  Training training = eager("bf16");
  const Layer plain = layer_of(parse_layer_case("softmax 64:16 groups=4"));
  const Layer scores = layer_of(parse_layer_case("softmax 64:16 groups=4 masked=true"));
  Piece cast;
  cast.wide_output = true;
  const auto bytes = [&](const Piece& piece, Pass pass) {
    return composed_traffic(scores, piece, pass, training)->bytes_per_output;
  };
  EXPECT_FALSE(composed_traffic(scores, {}, Pass::forward, training));
  training.framework.composed.emplace_back("softmax");
  EXPECT_FALSE(composed_traffic(plain, {}, Pass::forward, training));
  EXPECT_EQ(bytes({}, Pass::forward), 28);
  EXPECT_EQ(bytes({}, Pass::backward_data), 28);
  EXPECT_EQ(bytes(cast, Pass::forward), 22);
  EXPECT_EQ(bytes(cast, Pass::backward_data), 22);
  EXPECT_EQ(composed_traffic(scores, {}, Pass::forward, training)->kernels, 5);
  EXPECT_EQ(composed_traffic(scores, cast, Pass::forward, training)->kernels, 4);
  training.precision = precision_named("fp32");
  EXPECT_EQ(bytes({}, Pass::forward), 24);
  EXPECT_EQ(bytes({}, Pass::backward_data), 20);
}

/// A norm that reads fp32 turns nothing; one that makes it of 16 bits does.
TEST(Composed, WhatIsFp32AlreadyIsNotTurned) {
  const Layer norm = layer_of(parse_layer_case("rms_norm 1:4096"));
  Piece wide;
  wide.wide_inputs = 1;
  wide.wide_output = true;
  EXPECT_EQ(composed_traffic(norm, wide, Pass::forward, eager("bf16"))->bytes_per_output, 28);
}

/// GPT-2's, whose power autocast makes in fp32: 5 touches of 2 bytes and 15 of 4, or 18 of 2.
TEST(Composed, AFunctionWrittenOutIsEachOfItsOperations) {
  Training training = eager("bf16");
  const Layer plain = layer_of(parse_layer_case("activation 1:64 function=gelu"));
  const Layer each = layer_of(parse_layer_case("activation 1:64 function=gelu written_out=true"));
  Piece cast;
  cast.wide_output = true;
  EXPECT_FALSE(composed_traffic(each, {}, Pass::forward, training));
  training.framework.composed.emplace_back("gelu");
  EXPECT_FALSE(composed_traffic(plain, {}, Pass::forward, training));
  EXPECT_EQ(composed_traffic(each, {}, Pass::forward, training)->bytes_per_output, 36);
  EXPECT_EQ(composed_traffic(each, {}, Pass::backward_data, training)->bytes_per_output, 56);
  EXPECT_EQ(composed_traffic(each, cast, Pass::forward, training)->bytes_per_output, 70);
  EXPECT_EQ(composed_traffic(each, cast, Pass::backward_data, training)->bytes_per_output, 112);
}

}  // namespace composed_test
}  // namespace oracle
