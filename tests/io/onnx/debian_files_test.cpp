// ONNX's own test models, as Debian ships them (libonnx-testdata): each is imported or refused with
// a reason. Most hold one operator on tensors without a batch, and many an operator that no network
// to train has, so what matters is that nothing else comes out.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "oracle/base/error.h"
#include "oracle/io/models/model_writer.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"
#include "tests/io/onnx/export_files.h"

namespace oracle {
namespace debian_files_test {

namespace fs = std::filesystem;

const fs::path kRoot = "/usr/share/libonnx-testdata/data";

struct Counts {
  int imported = 0;
  int refused = 0;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.imported << " imported, " << counts.refused << " refused";
}

std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    if (entry.path().filename() == "model.onnx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The elements per sample that the file declares for its output; 0 where it does not.
std::int64_t declared(const fs::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  const onnx::Model model = decoded(bytes.str());
  const auto found = model.shapes.find(model.outputs.front());
  if (found == model.shapes.end()) return 0;
  const onnx::Dims& dims = found->second.dims;
  std::int64_t elements = 1;
  for (std::size_t i = 1; i < dims.size(); ++i) elements *= dims[i].value_or(0);
  return elements;
}

/// Why files are refused, and how many of these are.
struct Reason {
  const char* text;
  int files;
};

constexpr std::array kReasons = {
    // Extents, factors or operands that these files read from inputs.
    Reason{"the integers of its input", 54},
    Reason{"must be a constant or a weight, and depends on the samples", 18},
    Reason{"its factors or extents are not known", 14},
    // The first axis is the batch, and many of these files have none.
    Reason{"it reduces over the samples of the batch", 43},
    Reason{"it normalizes over the samples of the batch", 6},
    Reason{"it joins samples of the batch", 6},
    Reason{"it takes samples out of the batch", 5},
    Reason{"its inputs have the batch at different axes", 3},
    Reason{"it sums over the samples of the batch", 2},
    Reason{"it compares samples of the batch", 2},
    Reason{"it multiplies samples of the batch with each other", 1},
    // No network to train.
    Reason{"none of them is an image, a volume, a vector or a text", 39},
    Reason{"where the batch, the channels and up to 3 extents are read", 13},
    Reason{"does not depend on the input", 12},
    Reason{"it looks up no rows of a table", 9},
    Reason{"does not depend on the samples", 8},
    Reason{"its channel is not known", 1},
    Reason{"cannot be repeated to", 1},
    // Operators that no layer kind has.
    Reason{"how much it makes depends on the data", 29},
    Reason{"it works on texts", 19},
    Reason{"it works on sequences", 14},
    Reason{"no layer kind has its work", 7},
    Reason{"it is a part of an optimizer", 7},
    Reason{"how often its work is done depends on the data", 3},
    Reason{"is not a product of two tensors", 1},
};

std::string refusal_of(const fs::path& file) {
  try {
    load_onnx(file);
  } catch (const InputError& error) {
    return error.problems().front().message;
  }
  return {};
}

/// Reads a file, and what it writes down again.
bool is_imported(const fs::path& file, const ModelOverrides& overrides) {
  try {
    const Graph graph = load_onnx(file, overrides);
    const Graph again = read_model(json::parse(write_model(graph), "written.json"));
    EXPECT_EQ(again.parameters(), graph.parameters()) << file;
    EXPECT_EQ(again.flops(Pass::forward), graph.flops(Pass::forward)) << file;
    return true;
  } catch (const InputError& error) {
    EXPECT_FALSE(error.problems().empty()) << file;
    for (const Problem& problem : error.problems()) {
      EXPECT_TRUE(problem.place.starts_with(file.string())) << problem.place;
      EXPECT_FALSE(problem.message.empty()) << file;
    }
    return false;
  }
}

Counts count(const std::string& folder, bool skip_unknown) {
  ModelOverrides overrides;
  overrides.skip_unknown = skip_unknown;
  Counts counts;
  for (const fs::path& file : files_of(folder)) {
    ++(is_imported(file, overrides) ? counts.imported : counts.refused);
  }
  return counts;
}

class DebianFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
    if (!fs::exists(kRoot)) GTEST_SKIP() << "Debian's libonnx-testdata is not installed";
  }
};

// Of version 1.12.0; the networks of `real` are downloaded by ONNX's own tests and not in it.
TEST_F(DebianFiles, AreImportedOrRefusedWithAReason) {
  EXPECT_EQ(count("node", false), (Counts{637, 295}));
  EXPECT_EQ(count("simple", false), (Counts{3, 20}));
  EXPECT_EQ(count("pytorch-operator", false), (Counts{33, 2}));
  EXPECT_EQ(count("pytorch-converted", false), (Counts{82, 0}));
}

TEST_F(DebianFiles, AreMoreWhereUnknownOperatorsArePricedByTheirBytes) {
  EXPECT_EQ(count("node", true), (Counts{637, 295}));
  EXPECT_EQ(count("pytorch-converted", true), (Counts{82, 0}));
}

TEST_F(DebianFiles, AreRefusedForReasonsOfAClosedList) {
  std::map<std::string, int> found;
  int others = 0;
  for (const char* folder : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    for (const fs::path& file : files_of(folder)) {
      const std::string message = refusal_of(file);
      if (message.empty()) continue;
      const auto* reason =
          std::find_if(kReasons.begin(), kReasons.end(), [&](const Reason& candidate) {
            return message.find(candidate.text) != std::string::npos;
          });
      if (reason == kReasons.end()) {
        ++others;
        ADD_FAILURE() << file << ": " << message;
      } else {
        ++found[reason->text];
      }
    }
  }
  EXPECT_EQ(others, 0);
  for (const Reason& reason : kReasons) EXPECT_EQ(found[reason.text], reason.files) << reason.text;
}

// PyTorch wrote the shape of each output beside it, batch first.
TEST_F(DebianFiles, HaveTheOutputsThatPyTorchDeclares) {
  int compared = 0;
  for (const char* folder : {"pytorch-converted", "pytorch-operator"}) {
    for (const fs::path& file : files_of(folder)) {
      if (!is_imported(file, {})) continue;
      const Graph graph = load_onnx(file);
      const std::int64_t elements = declared(file);
      if (elements == 0) continue;
      ++compared;
      EXPECT_EQ(graph[graph.size() - 1].input.elements(), elements) << file;
    }
  }
  EXPECT_GT(compared, 60);
}

}  // namespace debian_files_test
}  // namespace oracle
