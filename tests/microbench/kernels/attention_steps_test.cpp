// Attention that reads its keys in several calls, some of them at a time, makes what one call with
// all keys makes: its queries may lie anywhere in the text.

#include <gtest/gtest.h>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace attention_steps_test {

using reference::Gradients;
using reference::Trial;
using reference::Values;
using Places = std::vector<std::int64_t>;

/// Visits each value of some positions with its index there, and in a tensor of all positions.
template <typename Visit>
void for_each_of(const Extents& all, const Places& places, Visit visit) {
  const std::int64_t rows = all.samples * all.channels;
  const auto count = static_cast<std::int64_t>(places.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < count; ++i) {
      visit(static_cast<std::size_t>(row * count + i),
            static_cast<std::size_t>(row * all.width + places[static_cast<std::size_t>(i)]));
    }
  }
}

Values some_of(const Values& all, const Places& places) {
  Extents extents = all.extents;
  extents.width = static_cast<std::int64_t>(places.size());
  Values some(extents);
  for_each_of(all.extents, places, [&](auto here, auto there) { some.of[here] = all.of[there]; });
  return some;
}

void expect_steps_like_one_call(const Trial& trial, const std::vector<Places>& steps) {
  const auto backend = backend_under_test();
  const auto kernel = backend->kernel(trial.layer);
  const auto saved = kernel->saved();
  const auto queries = tensor_of(*backend, trial.inputs[0]);
  const auto output = backend->tensor(trial.layer.output);
  const auto dy = tensor_of(*backend, trial.output_gradient);
  const auto dq = backend->tensor(trial.inputs[0].extents);
  Gradients found = reference::backward(trial);
  for (const bool forward : {true, false}) {
    for (const Places& places : steps) {
      const Values some_keys = some_of(trial.inputs[1], places);
      const auto keys = tensor_of(*backend, some_keys);
      const auto values = tensor_of(*backend, some_of(trial.inputs[2], places));
      const auto dk = backend->tensor(keys->extents()), dv = backend->tensor(values->extents());
      const std::array<Tensor*, 3> inputs = {queries.get(), keys.get(), values.get()};
      const std::array<Tensor*, 3> gradients = {dq.get(), dk.get(), dv.get()};
      Call call;
      call.inputs = inputs;
      call.output = output.get();
      call.output_gradient = dy.get();
      call.input_gradients = gradients;
      call.saved = saved.get();
      call.keys = places;
      call.adds = &places != &steps.front();
      if (forward) {
        kernel->forward(call);
        continue;
      }
      kernel->backward_data(call);
      EXPECT_LT(relative_error(values_of(*dk).of, some_of(found.inputs[1], places).of),
                tolerance());
      EXPECT_LT(relative_error(values_of(*dv).of, some_of(found.inputs[2], places).of),
                tolerance());
    }
  }
  EXPECT_LT(relative_error(values_of(*output).of, reference::forward(trial).of), tolerance());
  EXPECT_LT(relative_error(values_of(*dq).of, found.inputs[0].of), tolerance());
}

/// Queries 0, 1, 7 and 8 of 9, which read keys of their own first.
Trial trial_of(const OneLayer& one) {
  LocalLayer piece = one.whole(2);
  piece.positions = {0, 1, 7, 8};
  piece.inputs[0].width = piece.output.width = 4;
  return random_trial(piece);
}

const std::vector<Places> kSteps = {{0, 1, 7, 8}, {2, 6}, {3, 4, 5}};

TEST(AttentionSteps, CausalOnesMakeWhatOneCallMakes) {
  const OneLayer one("attention", {1, 24, 1, 1, 9}, {{"heads", 4}, {"causal", true}},
                     {{1, 24, 1, 1, 9}, {1, 24, 1, 1, 9}});
  expect_like_reference(trial_of(one));
  expect_steps_like_one_call(trial_of(one), kSteps);
  // The first two queries read none of the keys that come first.
  expect_steps_like_one_call(trial_of(one), {{3, 4, 5}, {2, 6}, {0, 1, 7, 8}});
}

TEST(AttentionSteps, OfAWindowMakeWhatOneCallMakes) {
  const OneLayer one("attention", {1, 24, 1, 1, 9},
                     {{"heads", 4}, {"kv_heads", 2}, {"causal", true}, {"window", 3}},
                     {{1, 12, 1, 1, 9}, {1, 8, 1, 1, 9}});
  expect_like_reference(trial_of(one));
  expect_steps_like_one_call(trial_of(one), kSteps);
}

TEST(AttentionSteps, OfAllPairsMakeWhatOneCallMakes) {
  const OneLayer one("attention", {1, 12, 1, 1, 5}, {{"heads", 2}},
                     {{1, 12, 1, 1, 8}, {1, 12, 1, 1, 8}});
  expect_steps_like_one_call(random_trial(one.whole(2)), {{2, 3}, {0, 1, 6, 7}, {4, 5}});
}

}  // namespace attention_steps_test
}  // namespace oracle
