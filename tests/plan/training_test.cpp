#include "oracle/plan/training.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "oracle/base/error.h"

namespace oracle {
namespace training_test {

TEST(Precision, HasTheBytesOfItsTable) {
  for (const char* name : {"fp32", "tf32"}) {
    const Precision& single = precision_named(name);
    EXPECT_EQ(single.activation_bytes, 4) << name;
    EXPECT_EQ(single.weight_bytes, 4) << name;
    EXPECT_EQ(single.gradient_bytes, 4) << name;
    EXPECT_EQ(single.master_bytes, 0) << name;
  }
  for (const char* name : {"fp16", "bf16"}) {
    const Precision& half = precision_named(name);
    EXPECT_EQ(half.activation_bytes, 2) << name;
    EXPECT_EQ(half.weight_bytes, 2) << name;
    EXPECT_EQ(half.gradient_bytes, 2) << name;
    EXPECT_EQ(half.master_bytes, 4) << name;
  }
  EXPECT_EQ(precision_named("bf16").compute, DataType::bf16);
  EXPECT_EQ(precision_named("amp").name, "fp16");
  EXPECT_EQ(precision_named("tf32").compute, DataType::tf32);
  EXPECT_EQ(all_precisions().size(), 8U);
}

TEST(Precision, WithFp32WeightsTheCopyIsThatOfTheCasts) {
  Framework framework;
  framework.fp32_weights = true;
  const Precision half = kept_by(framework, precision_named("fp16"));
  EXPECT_EQ(half.weight_bytes, 4);
  EXPECT_EQ(half.gradient_bytes, 4);
  EXPECT_EQ(half.master_bytes, 0);
  EXPECT_EQ(half.cast_bytes, 2);
  EXPECT_EQ(half.used_bytes(), 2);
  EXPECT_EQ(half.activation_bytes, 2);
  EXPECT_EQ(kept_by(framework, precision_named("tf32")).cast_bytes, 0);
  EXPECT_EQ(kept_by(Framework{}, precision_named("fp16")).gradient_bytes, 2);
}

StateFormats formats(std::optional<int> gradients, std::optional<int> reduce,
                     std::optional<int> master) {
  return {gradients, reduce, master};
}

TEST(Precision, KeepsItsStateInTheFormatsAskedFor) {
  const Precision main = kept_by({}, precision_named("bf16"), formats(4, {}, {}));
  EXPECT_EQ(main.weight_bytes, 2);
  EXPECT_EQ(main.gradient_bytes, 4);
  EXPECT_EQ(main.master_bytes, 4);
  EXPECT_EQ(main.travelling_bytes(), 4);
  EXPECT_EQ(main.made_bytes(), 2);
  EXPECT_TRUE(main.has_main_gradients());
  const Precision narrow = kept_by({}, precision_named("bf16"), formats(4, 2, 0));
  EXPECT_EQ(narrow.travelling_bytes(), 2);
  EXPECT_EQ(narrow.master_bytes, 0);
  EXPECT_EQ(kept_by({}, precision_named("fp32"), formats({}, 2, {})).travelling_bytes(), 2);
}

TEST(Precision, WhoAsksForAMasterCopyHasNarrowWeights) {
  Framework framework;
  framework.fp32_weights = true;
  const Precision copied = kept_by(framework, precision_named("bf16"), formats({}, {}, 4));
  EXPECT_EQ(copied.weight_bytes, 2);
  EXPECT_EQ(copied.cast_bytes, 0);
  EXPECT_EQ(copied.master_bytes, 4);
  const Precision wide = kept_by(framework, precision_named("bf16"), formats(2, {}, {}));
  EXPECT_EQ(wide.weight_bytes, 4);
  EXPECT_EQ(wide.gradient_bytes, 2);
  try {
    kept_by({}, precision_named("fp32"), formats({}, {}, 4));
    FAIL() << "let pass";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().place, "--master");
  }
}

TEST(Precision, OfAFrameworkGivesWayToWhatIsAskedFor) {
  Framework framework;
  framework.state = formats(4, {}, 8);
  const Precision own = kept_by(framework, precision_named("fp16"), formats(2, {}, {}));
  EXPECT_EQ(own.gradient_bytes, 2);
  EXPECT_EQ(own.master_bytes, 8);
  EXPECT_FALSE(own.has_main_gradients());
  EXPECT_EQ(kept_by(framework, precision_named("fp32")).gradient_bytes, 4);
  EXPECT_EQ(kept_by(framework, precision_named("fp32")).master_bytes, 0);
}

TEST(Training, KeepsTheBytesOfAllItsState) {
  Training training;
  training.precision = precision_named("bf16");
  training.optimizer = optimizer_named("adam");
  EXPECT_EQ(bytes_per_parameter(training), 2 + 2 + 4 + 8);
  training.state.gradients = 4;
  training.run_by({});
  EXPECT_EQ(bytes_per_parameter(training), 2 + 4 + 4 + 8);
}

TEST(Training, IsRunByAFramework) {
  Training training;
  training.precision = precision_named("bf16");
  Framework framework;
  framework.name = "mine";
  framework.fp32_weights = true;
  training.run_by(framework);
  EXPECT_EQ(training.framework.name, "mine");
  EXPECT_EQ(training.precision.gradient_bytes, 4);
}

TEST(Training, SomeFrameworksTurnToChannelsLastInFp16) {
  Framework framework;
  framework.channels_last = false;
  framework.half_channels_last = true;
  for (const char* precision : {"fp32", "tf32", "fp16", "bf16"}) {
    Training training;
    training.precision = precision_named(precision);
    training.run_by(framework);
    EXPECT_EQ(training.framework.channels_last, training.precision.activation_bytes == 2);
  }
}

TEST(Training, SomeFrameworksFuseMoreAndPadImagesInFp16) {
  Framework framework;
  framework.fuses = false;
  framework.half_fuses_sums = framework.half_pads_images = true;
  for (const char* precision : {"fp32", "tf32", "fp16", "bf16"}) {
    Training training;
    training.precision = precision_named(precision);
    training.run_by(framework);
    const bool half = training.precision.activation_bytes == 2;
    EXPECT_EQ(training.framework.fuses, half);
    EXPECT_EQ(training.framework.half_fuses_sums, half);
    EXPECT_EQ(training.framework.half_pads_images, half);
  }
}

TEST(Precision, OfNumbersOfRowsIsFp32) {
  GraphBuilder net("text");
  const LayerId text = net.input({{1, 1, 1, 1, 8, 1}});
  const LayerId words = net.add("words", "embedding", {text}, {{"entries", 300}, {"features", 4}});
  const LayerId flat = net.add("flat", "flatten", {words});
  net.add("loss", "softmax_loss", {flat});
  const Graph graph = net.finish();
  EXPECT_EQ(value_bytes(graph, text, precision_named("bf16")), 4);
  EXPECT_EQ(value_bytes(graph, words, precision_named("bf16")), 2);
  EXPECT_EQ(value_bytes(graph, words, precision_named("fp32")), 4);
}

TEST(Optimizer, HasTheStateOfItsTable) {
  EXPECT_EQ(optimizer_named("sgd").state_bytes, 0);
  EXPECT_EQ(optimizer_named("momentum").state_bytes, 4);
  EXPECT_EQ(optimizer_named("adam").state_bytes, 8);
  EXPECT_EQ(optimizer_named("adam_bf16").state_bytes, 4);
  EXPECT_EQ(optimizer_named("adam8bit").state_bytes, 2);
}

TEST(Optimizer, DecoupledDecayIsThatOfAdam) {
  EXPECT_EQ(optimizer_named("adamw").name, "adam");
  EXPECT_EQ(optimizer_named("adamw8bit").name, "adam8bit");
  EXPECT_EQ(optimizer_named("adamw_bf16").name, "adam_bf16");
  EXPECT_THROW(optimizer_named("adamw_fp64"), InputError);
}

TEST(Training, SuggestsTheNameThatWasMeant) {
  try {
    precision_named("pf16");
    FAIL() << "let pass";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().place, "--precision");
    EXPECT_EQ(error.problems().front().remedy, "did you mean \"fp16\"?");
  }
  EXPECT_THROW(optimizer_named("adamm"), InputError);
}

}  // namespace training_test
}  // namespace oracle
