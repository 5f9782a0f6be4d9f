// Recurrent layers next to a reference that goes token by token.

#include <gmock/gmock.h>

#include "oracle/base/error.h"
#include "tests/microbench/kernels/kinds.h"

namespace oracle {
namespace recurrent_kernels_test {

using RecurrentKinds = OfKinds;

TEST_P(RecurrentKinds, MatchesReference) { expect_like_reference(trial()); }

TEST_P(RecurrentKinds, ReferenceIsConsistent) { expect_reference_consistent(trial()); }

Attributes cell(const char* name, std::int64_t features, Attributes more = {}) {
  more.set("cell", std::string(name));
  more.set("features", features);
  return more;
}

const KindCase kCases[] = {
    {"lstm", "recurrent", 2, {1, 8, 1, 1, 6}, cell("lstm", 16)},
    {"lstm_odd", "recurrent", 3, {1, 5, 1, 1, 7}, cell("lstm", 3)},
    {"lstm_both_ways", "recurrent", 2, {1, 6, 1, 1, 5}, cell("lstm", 4, {{"directions", 2}})},
    {"lstm_without_bias", "recurrent", 2, {1, 6, 1, 1, 4}, cell("lstm", 5, {{"bias", false}})},
    {"lstm_one_token", "recurrent", 4, {1, 6, 1, 1, 1}, cell("lstm", 5)},
    {"gru", "recurrent", 2, {1, 8, 1, 1, 6}, cell("gru", 16)},
    {"gru_odd", "recurrent", 3, {1, 5, 1, 1, 7}, cell("gru", 3)},
    {"gru_both_ways", "recurrent", 2, {1, 6, 1, 1, 5}, cell("gru", 4, {{"directions", 2}})},
    {"gru_without_bias", "recurrent", 2, {1, 6, 1, 1, 4}, cell("gru", 5, {{"bias", false}})},
    {"gru_one_sample", "recurrent", 1, {1, 6, 1, 1, 9}, cell("gru", 5)},
    {"rnn", "recurrent", 2, {1, 8, 1, 1, 6}, cell("rnn", 16)},
    {"rnn_both_ways", "recurrent", 2, {1, 5, 1, 1, 7}, cell("rnn", 3, {{"directions", 2}})},
    {"rnn_over_pixels", "recurrent", 2, {1, 5, 1, 3, 4}, cell("rnn", 3)},
};

INSTANTIATE_TEST_SUITE_P(All, RecurrentKinds, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

std::string why_refused(const OneLayer& one) {
  try {
    backend_under_test()->kernel(one.whole(2));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Recurrent, WithoutAKernelIsRefusedByWhatItHas) {
  const OneLayer seeing("recurrent", {1, 6, 1, 1, 4}, cell("lstm", 5, {{"peepholes", true}}));
  EXPECT_THAT(why_refused(seeing), testing::HasSubstr("peepholes"));
  const OneLayer told("recurrent", {1, 6, 1, 1, 4}, cell("gru", 5), {{1, 5, 1, 1, 1}});
  EXPECT_THAT(why_refused(told), testing::HasSubstr("states that other layers make"));
}

}  // namespace recurrent_kernels_test
}  // namespace oracle
