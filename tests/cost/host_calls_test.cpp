#include "oracle/cost/host_calls.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace host_calls_test {

double calls(const char* layer, Pass pass, std::int64_t experts, double kernels = 1) {
  const Graph graph = load_model("mixtral_8x7b");
  const auto found = std::find_if(graph.layers.begin(), graph.layers.end(),
                                  [&](const Layer& one) { return one.name == layer; });
  Piece piece;
  piece.experts = experts;
  return host_calls(*found, piece, pass, kernels);
}

TEST(HostCalls, WorkedNumber) {
  EXPECT_DOUBLE_EQ(80e-6 * calls("layers.0.dispatch", Pass::forward, 1), 720e-6);
}

TEST(HostCalls, ExpertsAreLaunchedOneByOne) {
  EXPECT_DOUBLE_EQ(calls("layers.0.experts.up", Pass::backward_data, 8), 1.8);
  EXPECT_DOUBLE_EQ(calls("layers.0.experts.up", Pass::backward_data, 1), 1) << "one is a product";
}

TEST(HostCalls, OtherLayersHaveOneForEachKernelAndNoneForNone) {
  EXPECT_DOUBLE_EQ(calls("layers.0.norm1", Pass::forward, 1, 5), 5);
  EXPECT_DOUBLE_EQ(calls("layers.0.dispatch", Pass::forward, 1, 0), 0);
}

}  // namespace host_calls_test
}  // namespace oracle
