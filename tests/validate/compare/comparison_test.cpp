#include "validate/compare/comparison.h"

#include <gtest/gtest.h>

#include "tests/validate/compare/fixtures.h"

namespace oracle {
namespace comparison_test {

Prediction prediction() {
  Prediction out;
  out.asked = {"two", "data:2", "fp32", "sgd", "here", 8, 2};
  out.step = {Seconds{1.6}, Source::assumed, 0.1};
  out.parts = {0.5, 0.75, 0.125, 0, 0.25, 0};
  out.memory = 1500;
  out.layers = {{0, "a", "4×2x1", 0.5, 0.5, 0.25}};
  out.transfers = {{0, "a", "weight_gradient", "all_reduce", "exchange", 0.375, 0.25, 400, 400}};
  return out;
}

std::string refusal(const Prediction& predicted, const Measurement& run) {
  try {
    compare(predicted, run, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Comparison, SignedErrorsByHand) {
  const RunComparison result = compare(prediction(), run_of(kRunText), 1);
  EXPECT_DOUBLE_EQ(result.step.signed_error(), -0.2);      // 1.6 against 2
  EXPECT_NEAR(result.outside().value, 0.24, 1e-12);        // 0.4 off, 0.16 allowed
  EXPECT_DOUBLE_EQ(*result.forward.signed_error(), 1);     // 0.5 against 0.25
  EXPECT_DOUBLE_EQ(*result.backward.signed_error(), 0.2);  // 0.75 against 0.5 + 0.125
  EXPECT_DOUBLE_EQ(*result.exposed.signed_error(), -0.5);
  EXPECT_DOUBLE_EQ(*result.memory.signed_error(), -0.25);
  EXPECT_FALSE(result.exposed_activation.signed_error());  // nothing measured
  // 2 − (0.25 + 0.625 + 0.0625 + 0.5)
  EXPECT_DOUBLE_EQ(*result.rest.measured, 0.5625);
  ASSERT_EQ(result.layers.size(), 1U);
  EXPECT_NEAR(*result.layers[0].total.signed_error(), 1.25 / 0.875 - 1, 1e-12);
  ASSERT_EQ(result.transfers.size(), 1U);
  EXPECT_EQ(result.transfers[0].predicted_busy, 0.375);
  EXPECT_EQ(result.transfers[0].wire, Wire::equal);
  EXPECT_TRUE(result.bytes_hold());
}

TEST(Comparison, PartsAreOfTheStageThatWasForetold) {
  Measurement run = run_of(kRunText);
  run.layers.push_back({1, "b", "4×1", 1, 0.75, 0});  // the busier one
  Prediction first = prediction();
  first.stage = 0;
  EXPECT_EQ(compare(first, run, 1).forward.measured, 0.25);
  first.stage.reset();
  EXPECT_EQ(compare(first, run, 1).forward.measured, 1);
}

TEST(Comparison, InsideTheIntervalNothingIsOutside) {
  Prediction wide = prediction();
  wide.step.uncertainty = 0.25;
  EXPECT_EQ(compare(wide, run_of(kRunText), 1).outside().value, 0);
}

TEST(Comparison, OtherBytesThanThePlansDiffer) {
  const auto wire = [](const char* collective, const char* sent) {
    Measurement run = run_of(run_text_with("\"sent_bytes\": 400", sent));
    run.transfers[0].collective = collective;
    Prediction none = prediction();
    none.transfers.clear();
    return compare(none, run, 1).transfers[0].wire;
  };
  for (const char* collective : {"all_reduce", "halo_exchange", "all_to_all", "send_receive"}) {
    EXPECT_EQ(wire(collective, "\"sent_bytes\": 400"), Wire::equal);
    EXPECT_EQ(wire(collective, "\"sent_bytes\": 400.5"), Wire::equal);
    EXPECT_EQ(wire(collective, "\"sent_bytes\": 408"), Wire::differs);
    EXPECT_EQ(wire(collective, "\"sent_bytes\": 392"), Wire::differs);
  }
}

TEST(Comparison, CountersThatDisagreeBreakThePromise) {
  const Measurement run =
      run_of(run_text_with("\"items_sent_bytes\": 800", "\"items_sent_bytes\": 792"));
  EXPECT_FALSE(compare(prediction(), run, 1).bytes_hold());
}

TEST(Comparison, AnEarlierRunIsAPredictionWithItsSpread) {
  const Measurement run = run_of(kRunText);
  const RunComparison same = compare(prediction_of(run, 1), run, 1);
  EXPECT_EQ(same.step.signed_error(), 0);
  EXPECT_NEAR(same.step.predicted.uncertainty, 0.4, 1e-12);  // 1.2 … 2.8 around 2
  EXPECT_FALSE(same.transfers[0].predicted_busy);
}

TEST(Comparison, RefusesWhatIsNotAlike) {
  const Measurement run = run_of(kRunText);
  Prediction other = prediction();
  other.asked.batch = 16;
  other.asked.strategy = "filter:2";
  EXPECT_EQ(refusal(other, run),
            "strategy: \"filter:2\" was predicted and \"data:2\" run; compare what was asked "
            "alike\nbatch: \"16\" was predicted and \"8\" run; compare what was asked alike");
  other = prediction();
  other.layers[0].piece = "4×2x9";
  EXPECT_EQ(refusal(other, run),
            "layer a: \"4×2x9\" on a rank was predicted and \"4×2x1\" run; predict with the same "
            "--input and --classes");
  other = prediction();
  other.layers.push_back({0, "b", "4×1", 1, 0, 0});
  EXPECT_NE(refusal(other, run).find("layer b"), std::string::npos);
}

}  // namespace comparison_test
}  // namespace oracle
