#include "oracle/io/onnx/byte_source.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"
#include "oracle/io/onnx/wire.h"

namespace oracle::onnx {
namespace byte_source_test {

std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7U) text += static_cast<char>(value | 0x80U);
  return text + static_cast<char>(value);
}

std::string number(std::uint64_t field, std::uint64_t value) {
  return varint(field << 3U) + varint(value);
}

std::string head(std::uint64_t field, std::uint64_t length) {
  return varint(field << 3U | 2U) + varint(length);
}

std::string text(std::uint64_t field, const std::string& bytes) {
  return head(field, bytes.size()) + bytes;
}

/// An input of batch x `features` of fp32.
std::string input(const std::string& name, std::uint64_t features) {
  const std::string shape = text(1, text(2, "N")) + text(1, number(1, features));
  return text(1, name) + text(2, text(1, number(1, 1) + text(2, shape)));
}

constexpr std::uint64_t kIn = 4096, kOut = 4200;

/// A product by a matrix whose data is a hole of the file, `times` its size.
std::filesystem::path write_large(std::uint64_t times) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("oracle_large_" + std::to_string(times) + ".onnx");
  const std::uint64_t data = kIn * kOut * 4 * times;
  const std::string dims = number(1, kIn) + number(1, kOut * times) + number(2, 1) + text(8, "w");
  const std::string bias = number(1, kOut * times) + number(2, 1) + text(8, "b") +
                           number(14, 1);  // external: its data is not there
  const std::string node =
      text(1, "x") + text(1, "w") + text(1, "b") + text(2, "y") + text(4, "Gemm");
  const std::string weights =
      head(5, dims.size() + head(9, data).size() + data) + dims + head(9, data);
  const std::string behind = text(5, bias) + text(11, input("x", kIn)) + text(12, text(1, "y"));
  const std::string before = text(1, node) + weights;
  const std::uint64_t graph = before.size() + data + behind.size();
  std::ofstream stream(file, std::ios::binary);
  stream << number(1, 8) << head(7, graph) << before;
  stream.seekp(static_cast<std::streamoff>(data), std::ios::cur);
  stream << behind << text(8, number(2, 13));
  return file;
}

// 69 MB: a Gemm of 4096 to 4200 with its weights inside and a bias whose data lies elsewhere.
TEST(OnnxByteSource, ReadsLargeFilesWithoutTheirWeights) {
  if (!available()) GTEST_SKIP() << "built without ONNX";
  const std::filesystem::path file = write_large(1);
  const Graph graph = load_onnx(file);
  std::filesystem::remove(file);
  EXPECT_EQ(graph.parameters(), 17'207'400);
  EXPECT_EQ(graph.multiply_adds(), 17'203'200);
}

// 4.4 GB, a hole: more than the 2^31 bytes that protobuf takes.
TEST(OnnxByteSource, ReadsFilesOfAnySize) {
  if (!available()) GTEST_SKIP() << "built without ONNX";
  const std::filesystem::path file = write_large(64);
  std::string kept;
  {
    ByteSource source(file);
    EXPECT_GT(source.size(), std::uint64_t{4} << 30U);
    kept = without_weights(source).value_or("");
  }
  const Graph graph = load_onnx(file);
  std::filesystem::remove(file);
  EXPECT_GT(kept.size(), 50U);
  EXPECT_LT(kept.size(), 500U);
  EXPECT_EQ(graph.parameters(), 64 * 17'207'400);
}

TEST(OnnxByteSource, ReadsPiecesOfMemoryAndOfFiles) {
  ByteSource memory(std::string_view("abcdef"));
  EXPECT_EQ(memory.read(2, 3), "cde");
  EXPECT_EQ(memory.read(4, 9), "ef");
  EXPECT_EQ(memory.read(9, 1), "");
  EXPECT_THROW(ByteSource(std::filesystem::path("/nowhere/at/all")), EnvironmentError);
}

TEST(OnnxByteSource, KeepsAllOfWhatIsSmall) {
  const std::string bytes = text(7, text(1, text(1, "x")));
  ByteSource source{std::string_view(bytes)};
  EXPECT_EQ(without_weights(source), bytes);
  ByteSource truncated(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_EQ(without_weights(truncated), std::nullopt);
}

}  // namespace byte_source_test
}  // namespace oracle::onnx
