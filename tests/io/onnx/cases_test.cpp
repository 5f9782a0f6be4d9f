// Small networks as exporters write them, against counts by hand.

#include <gtest/gtest.h>

#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"

namespace oracle {
namespace cases_test {

struct Case {
  const char* file;
  std::int64_t parameters;
  double multiply_adds;
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.file; }

class OnnxCase : public testing::TestWithParam<Case> {};

TEST_P(OnnxCase, HasTheRightCounts) {
  if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  const Graph graph =
      load_onnx(std::string(ORACLE_SOURCE_DIR "/tests/data/cases/") + GetParam().file + ".onnx");
  EXPECT_EQ(graph.parameters(), GetParam().parameters);
  EXPECT_EQ(graph.multiply_adds(), GetParam().multiply_adds);
}

INSTANTIATE_TEST_SUITE_P(SharedWeights, OnnxCase,
                         testing::Values(Case{"shared_conv", 8 * 8 * 9 + 8 + 90, 294'992},
                                         Case{"tied_embedding", 1000 * 64 + 64 * 64 + 64,
                                              2'179'072},
                                         Case{"shared_head_scales", 4'960, 1'474'880}));

}  // namespace cases_test
}  // namespace oracle
