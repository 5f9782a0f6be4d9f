#include "oracle/io/onnx/wire.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/onnx/decode.h"
#include "tests/io/onnx/export_files.h"

namespace oracle::onnx {
namespace wire_test {

std::string varint(std::size_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7U) text += static_cast<char>(value | 0x80U);
  return text + static_cast<char>(value);
}

/// A field that holds bytes: its tag, their number and they.
std::string field(std::size_t number, const std::string& bytes) {
  return varint(number << 3U | 2U) + varint(bytes.size()) + bytes;
}

std::string times(std::size_t count, const std::string& piece) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

// The graph, two nodes, an input of each and an attribute of the second: 6.
TEST(OnnxWire, CountsTheFieldsOfEveryMessage) {
  const std::string node = field(1, "x");
  EXPECT_EQ(count_fields(field(7, field(1, node) + field(1, node + field(5, "")))), 6U);
  EXPECT_EQ(count_fields(""), 0U);
  // The text of a name may look like a message and is none.
  EXPECT_EQ(count_fields(field(7, field(2, field(1, node)))), 2U);
}

TEST(OnnxWire, CountsEightBytesOfWholeNumbersAsAField) {
  const std::string numbers = field(7, std::string(8000, '\1'));  // int64_data
  EXPECT_EQ(count_fields(field(7, field(5, numbers))), 3U + 1000U);
  const std::string raw = field(9, std::string(8000, '\1'));
  EXPECT_EQ(count_fields(field(7, field(5, raw))), 3U);
}

TEST(OnnxWire, StopsWhereTheBytesAreNoProtocolBuffer) {
  EXPECT_EQ(count_fields("\x3a\x7f"), 0U);
  EXPECT_EQ(count_fields(std::string("\x08\x01\x0f", 3)), 1U);
  EXPECT_EQ(count_fields(std::string(20, '\xff')), 0U);
}

TEST(OnnxWire, OfAnExportAreFarFromTheBound) {
  EXPECT_GT(count_fields(export_bytes("densenet121")), 1000U);
  EXPECT_LT(count_fields(export_bytes("densenet121")), 30'000U);
}

TEST(OnnxWire, AreBoundedBeforeAnythingIsAllocated) {
  if (!available()) GTEST_SKIP() << "built without ONNX";
  for (const std::size_t number : {1U, 5U, 11U, 13U, 15U}) {
    const std::string bytes = field(7, times(3'000'000, field(number, "")));
    EXPECT_EQ(count_fields(bytes), kMostFields + 1);
    EXPECT_THROW(decoded(bytes), InputError) << number;
  }
  // Graphs in attributes of nodes in graphs.
  const std::string inner = field(6, times(3'000'000, field(1, "")));
  EXPECT_THROW(decoded(field(7, field(1, field(5, inner)))), InputError);
}

}  // namespace wire_test
}  // namespace oracle::onnx
