// Files that want to do harm: an answer or an InputError, nothing else.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "oracle/base/error.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"
#include "tests/io/onnx/export_files.h"

namespace oracle {
namespace hostile_test {

constexpr int kMutants = 3000;

/// The small models that fuzzing starts from: an operator or a block of them each.
std::vector<std::string> seeds() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder =
      std::filesystem::path(ORACLE_SOURCE_DIR) / "tests/fuzz/corpus/onnx";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> bytes;
  for (const auto& file : files) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    bytes.push_back(text.str());
  }
  return bytes;
}

/// Whether the bytes are a network; anything but that or an InputError of sane form fails.
bool is_read(const std::string& bytes, const ModelOverrides& overrides = {}) {
  try {
    const Graph graph = read_onnx(bytes, "mutant.onnx", overrides);
    EXPECT_GE(graph.parameters(), 0);
    EXPECT_GE(graph.size(), 2U);
    return true;
  } catch (const InputError& error) {
    EXPECT_FALSE(error.problems().empty());
    for (const Problem& problem : error.problems()) {
      EXPECT_TRUE(problem.place.starts_with("mutant.onnx")) << problem.place;
      EXPECT_FALSE(problem.message.empty());
      EXPECT_EQ(to_text(problem).find('\n'), std::string::npos) << to_text(problem);
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  return false;
}

/// One to four changes: a byte, a bit, a piece cut out or doubled, or a swarm of high bytes.
std::string mutant_of(std::string bytes, std::mt19937_64& random) {
  for (std::uint64_t changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random() % bytes.size();
    const std::size_t length = std::min<std::size_t>(random() % 40, bytes.size() - at);
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        bytes[at] =
            static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << (random() % 8)));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default:
        bytes.replace(at, std::min<std::size_t>(length, 9), std::string(9, '\xff'));
    }
  }
  return bytes;
}

class OnnxHostile : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  }
};

TEST_F(OnnxHostile, TruncatedFilesAreRefusedOrRead) {
  const std::string whole = export_bytes("alexnet");
  ASSERT_GT(whole.size(), 5000U);
  int read = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    read += is_read(whole.substr(0, length)) ? 1 : 0;
  }
  EXPECT_TRUE(is_read(whole));
  // What is cut off after the graph, the version of the operators, is not missed.
  EXPECT_LE(read, 4);
}

TEST_F(OnnxHostile, MutantsAreRefusedOrRead) {
  const std::vector<std::string> sources = {export_bytes("alexnet"), export_bytes("vgg16"),
                                            export_bytes("resnet50")};
  std::mt19937_64 random(12345);
  int read = 0;
  for (int i = 0; i < kMutants; ++i) {
    // The small one most often: its shapes are hit, not its names.
    const std::uint64_t source = random() % 16 == 0 ? 2 : random() % 2;
    read += is_read(mutant_of(sources[source], random)) ? 1 : 0;
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, kMutants / 2);
}

TEST_F(OnnxHostile, MutantsOfEveryBlockAreRefusedOrRead) {
  const std::vector<std::string> sources = seeds();
  ASSERT_GT(sources.size(), 10U);
  ModelOverrides overrides;
  std::mt19937_64 random(54321);
  int read = 0;
  for (int i = 0; i < 5 * kMutants; ++i) {
    overrides.skip_unknown = random() % 2 == 0;
    read += is_read(mutant_of(sources[random() % sources.size()], random), overrides) ? 1 : 0;
  }
  EXPECT_GT(read, 0);
}

TEST_F(OnnxHostile, RandomBytesAreRefused) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 256);
    EXPECT_FALSE(is_read(bytes));
  }
}

}  // namespace hostile_test
}  // namespace oracle
