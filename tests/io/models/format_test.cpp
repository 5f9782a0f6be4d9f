// The pages about the format say what the reader does.

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string_view>

#include "oracle/graph/kinds/kind.h"
#include "oracle/io/data_path.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace format_test {

using testing::UnorderedElementsAreArray;

/// Kinds with weights, which layers may share.
const std::set<std::string_view> kTrained = {"added_rows",  "affine",
                                             "attention",   "batch_norm",
                                             "convolution", "dense",
                                             "embedding",   "expert_dense",
                                             "group_norm",  "layer_norm",
                                             "recurrent",   "prepended_rows",
                                             "rms_norm",    "transposed_convolution"};

TEST(ModelSchema, KnowsEveryKindAndItsAttributes) {
  const json::Document schema = json::read(data_root() / "data/schema/model.schema.json");
  const json::Node* kinds = schema.root.find("$defs");
  ASSERT_NE(kinds, nullptr);
  for (const Kind* kind : all_kinds()) {
    if (kind->name == "input") continue;
    const json::Node* described = kinds->find(kind->name);
    ASSERT_NE(described, nullptr) << kind->name;
    std::vector<std::string> known{"name", "kind", "from", "stored"};
    if (kTrained.contains(kind->name)) known.emplace_back("shares");
    for (const AttributeDoc& doc : kind->attributes) known.emplace_back(doc.name);
    std::vector<std::string> written;
    for (const json::Member& member : described->find("properties")->members) {
      written.push_back(member.name);
    }
    EXPECT_THAT(written, UnorderedElementsAreArray(known)) << kind->name;
  }
}

TEST(ModelSchema, ListsNoKindThatDoesNotExist) {
  const json::Document schema = json::read(data_root() / "data/schema/model.schema.json");
  const json::Node* layer = schema.root.find("$defs")->find("layer");
  EXPECT_EQ(layer->find("oneOf")->items.size(), all_kinds().size() - 1);
}

TEST(ModelsReadme, ShowsAModelThatIsRead) {
  std::ifstream file(data_root() / "models/README.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  const std::size_t start = text.find("```json\n") + 8;
  const std::size_t end = text.find("```", start);
  const Graph graph = read_model(json::parse(text.substr(start, end - start), "README.md"));
  // stem 448, four convolutions of 16·144 + 16, fc 16·10 + 10
  EXPECT_EQ(graph.parameters(), 448 + 4 * 2320 + 170);
  EXPECT_EQ(graph.layers[2].name, "stage.0.conv");
}

TEST(ModelsReadme, NamesEveryNetwork) {
  std::ifstream file(data_root() / "models/README.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const std::string& name : names_in("models")) {
    EXPECT_NE(page.str().find("`" + name + "`"), std::string::npos) << name;
  }
}

}  // namespace format_test
}  // namespace oracle
