#include "oracle/io/models/model_writer.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/graph/kinds/kind.h"
#include "oracle/io/data_path.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"
#include "tests/io/models/model_text.h"
#include "tests/io/onnx/export_files.h"

namespace oracle {
namespace model_writer_test {

Graph read_back(const Graph& graph) { return read_text(write_model(graph)); }

/// What two networks have to agree on to be one; the figures follow from the kind's own fields.
void expect_equal(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.sources, b.sources);
  EXPECT_EQ(a.published.parameters, b.published.parameters);
  EXPECT_EQ(a.published.multiply_adds, b.published.multiply_adds);
  EXPECT_EQ(a.consumers, b.consumers);
  for (LayerId id = 0; id < a.size(); ++id) {
    const Layer &one = a[id], &other = b[id];
    SCOPED_TRACE(one.name);
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.kind, other.kind);
    EXPECT_EQ(one.variant, other.variant);
    EXPECT_EQ(one.inputs, other.inputs);
    EXPECT_EQ(one.input, other.input);
    EXPECT_EQ(one.output, other.output);
    EXPECT_EQ(one.window, other.window);
    EXPECT_EQ(one.groups, other.groups);
    EXPECT_EQ(one.spatial_rank, other.spatial_rank);
    EXPECT_EQ(one.weights, other.weights);
    EXPECT_EQ(one.reduction, other.reduction);
    EXPECT_EQ(one.work, other.work);
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
      EXPECT_EQ(one.flops(pass), other.flops(pass));
    }
  }
}

TEST(ModelWriter, WritesEveryNetworkOfTheZooSoThatItReadsAsTheSame) {
  for (const std::string& name : names_in("models")) {
    SCOPED_TRACE(name);
    const Graph graph = load_model(name);
    expect_equal(graph, read_back(graph));
  }
}

TEST(ModelWriter, WritesEveryExportSoThatItReadsAsTheSame) {
  if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  for (const char* name : {"alexnet", "vgg16", "resnet50", "mobilenet_v2", "densenet121"}) {
    SCOPED_TRACE(name);
    const Graph graph = load_onnx(export_file(name));
    expect_equal(graph, read_back(graph));
  }
}

TEST(ModelWriter, WritesALineForEachLayer) {
  const std::string text = write_model(read_text(model_text(
      R"({"name": "c", "kind": "convolution", "features": "$classes", "kernel": [1, 3]},
         {"name": "a", "kind": "add", "from": ["c", "c"]},
         {"name": "f", "kind": "flatten", "from": "c"},
         {"name": "g", "kind": "flatten", "from": "a"},
         {"name": "s", "kind": "add", "from": ["f", "g"]},
         {"name": "loss", "kind": "softmax_loss"})")));
  EXPECT_EQ(text, R"({
  "schema": "oracle/model/1",
  "name": "test",
  "input": {"channels": 3, "height": 8, "width": 8},
  "layers": [
    {"name": "c", "kind": "convolution", "features": 10, "kernel": [1, 3]},
    {"name": "a", "kind": "add", "from": ["c", "c"]},
    {"name": "f", "kind": "flatten", "from": "c"},
    {"name": "g", "kind": "flatten", "from": "a"},
    {"name": "s", "kind": "add", "from": ["f", "g"]},
    {"name": "loss", "kind": "softmax_loss"}
  ]
}
)");
}

// A flat network has no axis, and its rank is one of its properties.
TEST(ModelWriter, KeepsTheAxesOfTheInput) {
  GraphBuilder flat("flat");
  Shape shape;
  shape[Axis::channel] = 429;
  flat.input(shape, 0);
  flat.add("loss", "softmax_loss", {0});
  const Graph graph = flat.finish();
  EXPECT_NE(write_model(graph).find("\"input\": {\"channels\": 429},"), std::string::npos);
  GraphBuilder point("point");
  point.input(shape, 2);
  point.add("loss", "softmax_loss", {0});
  EXPECT_EQ(read_back(point.finish())[0].spatial_rank, 2U);
}

TEST(ModelWriter, ReplacesWhatIsNoText) {
  GraphBuilder builder("\xff\"\n");
  Shape shape;
  shape[Axis::channel] = 4;
  builder.input(shape);
  builder.add("loss", "softmax_loss", {0});
  EXPECT_EQ(read_back(builder.finish()).name, "\xef\xbf\xbd\"\n");
}

// A name inside blocks is one of its own where it is written down.
TEST(ModelWriter, NeedsWholeNamesThatFitAnEntry) {
  const std::string use(70, 'u');
  const std::string layer(70, 'l');
  EXPECT_NE(refusal_of_text(model_text("{\"name\": \"" + use + R"(", "block": "b"},
                {"name": "loss", "kind": "softmax_loss"})",
                                       "{\"b\": {\"layers\": [{\"name\": \"" + layer +
                                           R"(", "kind": "dropout"}]}})"))
                .find("its whole name is longer than 128 letters"),
            std::string::npos);
}

}  // namespace model_writer_test
}  // namespace oracle
