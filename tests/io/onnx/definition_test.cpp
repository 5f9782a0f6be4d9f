// Nothing is lost in silence: parameters and MACs of every file that is read, against a count over
// its messages on shapes from ONNX's own inference.

#include "tests/io/onnx/definition.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

#include "oracle/base/error.h"
#include "oracle/io/onnx/axes.h"
#include "oracle/io/onnx/onnx_reader.h"

namespace oracle {
namespace definition_test {

namespace fs = std::filesystem;

struct Compared {
  int parameters = 0;
  int products = 0;  ///< of files that have some
};

/// Compares each file of a folder that is read.
Compared compare(const fs::path& folder, const std::set<std::string>& masks = {}) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  Compared compared;
  for (const std::string& file : files) {
    Graph graph;
    try {
      graph = load_onnx(file);
    } catch (const InputError&) {
      continue;
    }
    const Definition definition = definition_of(file, onnx::kSymbolicBatch);
    // Of several inputs, some may be weights.
    if (definition.inputs == 1 && !masks.contains(fs::path(file).stem().string())) {
      ++compared.parameters;
      EXPECT_EQ(graph.parameters(), definition.parameters) << file;
    }
    if (!definition.multiply_adds) continue;
    compared.products += *definition.multiply_adds > 0 ? 1 : 0;
    EXPECT_DOUBLE_EQ(graph.multiply_adds(), *definition.multiply_adds) << file;
  }
  return compared;
}

TEST(OnnxDefinition, OfOnnxsOwnFiles) {
  const fs::path root = "/usr/share/libonnx-testdata/data";
  if (!fs::exists(root)) GTEST_SKIP() << "Debian's libonnx-testdata is not installed";
  const Compared compared = compare(root);
  EXPECT_GT(compared.parameters, 380);
  EXPECT_GT(compared.products, 60);
}

// The sines of rotary positions are no weights; int8 is none that is counted there, and the parts
// of a function are not in the graph.
TEST(OnnxDefinition, OfTheCases) {
  const Compared compared = compare(fs::path(ORACLE_SOURCE_DIR) / "tests/data/cases",
                                    {"arch_rotary_attention", "qdq_conv"});
  EXPECT_GT(compared.parameters, 30);
  EXPECT_GT(compared.products, 30);
}

TEST(OnnxDefinition, OfExports) {
  const Compared compared = compare(fs::path(ORACLE_SOURCE_DIR) / "tests/data/onnx");
  EXPECT_GT(compared.products, 4);
}

}  // namespace definition_test
}  // namespace oracle
