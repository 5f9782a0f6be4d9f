#include "oracle/io/onnx/decode.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/io/onnx/export_files.h"

namespace oracle::onnx {
namespace onnx_decode_test {

class OnnxDecode : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "built without ONNX";
  }
};

// Counted in the output of protoc --decode.
TEST_F(OnnxDecode, ReadsWhatProtocShows) {
  const Model model = decoded(export_bytes("alexnet"));
  EXPECT_EQ(model.nodes.size(), 26U);
  EXPECT_EQ(model.constants.size(), 16U);
  ASSERT_EQ(model.inputs.size(), 1U);
  const std::vector<std::optional<std::int64_t>> dims = {std::nullopt, 3, 224, 224};
  EXPECT_EQ(model.inputs.front().dims, dims);
  EXPECT_EQ(model.outputs, std::vector<std::string>{"logits"});
  EXPECT_EQ(model.constants.at("classifier.6.weight").dims, (Integers{1000, 4096}));
  EXPECT_EQ(model.nodes.front().find("strides")->integers, (Integers{4, 4}));
}

TEST_F(OnnxDecode, KeepsSmallDataOnly) {
  const Model model = decoded(export_bytes("mobilenet_v2"));
  EXPECT_FALSE(model.constants.at("classifier.1.weight").reals);
  std::size_t sixes = 0;
  for (const Node& node : model.nodes) {
    const Attribute* value = node.find("value");
    if (value == nullptr || !value->tensor || !value->tensor->reals) continue;
    if (*value->tensor->reals == std::vector<double>{6}) ++sixes;
  }
  EXPECT_EQ(sixes, 35U);  // one upper bound for each of its 35 Clips
}

TEST_F(OnnxDecode, RefusesWhatIsNoModel) {
  for (const std::string bytes : {"", "{}", "\xff\xff\xff\xff", "PK\x03\x04"}) {
    EXPECT_THROW(decoded(bytes), InputError) << bytes;
  }
}

TEST(OnnxTensor, HoldsItsElementsWithoutOverflow) {
  EXPECT_TRUE((Tensor{{2, 3}, false, {}, {}}.holds(6)));
  EXPECT_FALSE((Tensor{{2, 3}, false, {}, {}}.holds(12)));
  EXPECT_TRUE((Tensor{{}, false, {}, {}}.holds(1)));
  EXPECT_FALSE((Tensor{{0}, false, {}, {}}.holds(1)));
  const std::int64_t large = std::int64_t{1} << 32;
  EXPECT_FALSE((Tensor{{large, large}, false, {}, {}}.holds(0 + large)));
}

}  // namespace onnx_decode_test
}  // namespace oracle::onnx
