#include "microbench/kernels/cpu/recurrent_cells.h"

#include <cmath>
#include <gtest/gtest.h>

namespace oracle {
namespace recurrent_cells_test {

/// The worked number: tanh 0.5 and its slope.
TEST(RecurrentCells, WorkedNumber) {
  const RecurrentCell& rnn = recurrent_cell("rnn");
  float row = 0.5F, state = 0, slope = 0, gradient = 1;
  rnn.step({&row, nullptr, &state}, 1);
  EXPECT_NEAR(state, 0.46212, 5e-6);
  EXPECT_EQ(row, state);
  rnn.back({&row, nullptr, nullptr, &gradient, nullptr, &slope}, 1);
  EXPECT_NEAR(slope, 0.78645, 5e-6);
  EXPECT_EQ(gradient, 0);
}

/// Sums far from zero saturate and stay finite.
TEST(RecurrentCells, SaturateFarFromZero) {
  const RecurrentCell& lstm = recurrent_cell("lstm");
  for (const float far : {1e4F, -1e4F, 3e38F, -3e38F}) {
    float row[] = {far, far, far, far, 0};
    const float before = 0.5F;
    float state = 0;
    lstm.step({row, &before, &state}, 1);
    EXPECT_NEAR(row[4], far > 0 ? 1.5 : 0, 1e-6);
    EXPECT_NEAR(state, far > 0 ? std::tanh(1.5) : 0, 1e-6);
  }
}

}  // namespace recurrent_cells_test
}  // namespace oracle
