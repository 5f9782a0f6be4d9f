// The networks of models/ against published figures.

#include <gtest/gtest.h>
#include <set>

#include "oracle/io/data_path.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace zoo_test {

struct Row {
  const char* name;
  std::int64_t parameters;
  double multiply_adds;  ///< forward, per sample; 0 where none is published
  double rounding;       ///< half of the last digit published
};

// torchvision 0.14: num_params and GFLOPS of its weight tables, which print three decimals (vgg16
// two); inception_v3 less its auxiliary head. The others: see each file's "published".
constexpr Row kRows[] = {
    {"alexnet", 61'100'840, 0.714e9, 0.5e6},
    {"bert_base", 109'514'298, 0, 0},
    {"bert_large", 335'174'458, 0, 0},
    {"cd_dnn", 45'122'648, 0, 0},
    {"cosmoflow", 8'907'556, 0, 0},
    {"cosmoflow_512", 2'128'064, 0, 0},
    {"deepseek_v3", 671'026'419'200, 0, 0},
    {"densenet121", 7'978'856, 2.834e9, 0.5e6},
    {"efficientnet_b0", 5'288'548, 0.386e9, 0.5e6},
    {"googlenet", 6'624'904, 1.498e9, 0.5e6},
    {"gpt2", 124'439'808, 0, 0},
    {"gpt2_large", 774'030'080, 0, 0},
    {"gpt2_medium", 354'823'168, 0, 0},
    {"gpt2_xl", 1'557'611'200, 0, 0},
    {"gpt3_175b", 174'615'846'912, 0, 0},
    {"gpt_tiny", 124'672, 0, 0},
    {"inception_v3", 23'834'568, 5.713e9, 0.5e6},
    {"kimi_k2", 1'026'408'232'448, 0, 0},
    {"llama2_70b", 68'976'648'192, 0, 0},
    {"llama2_7b", 6'738'415'616, 0, 0},
    {"llama3_405b", 405'853'388'800, 0, 0},
    {"llama3_70b", 70'553'706'496, 0, 0},
    {"llama3_8b", 8'030'261'248, 0, 0},
    {"llama_7b", 6'738'415'616, 0, 0},
    {"megatron_1t", 1'008'038'758'400, 0, 0},
    {"megatron_22b", 22'074'273'792, 0, 0},
    {"megatron_530b", 529'600'819'200, 0, 0},
    {"mixtral_8x7b", 46'702'792'704, 0, 0},
    {"moe_tiny", 205'632, 0, 0},
    {"mobilenet_v2", 3'504'872, 0.301e9, 0.5e6},
    {"overfeat_fast", 145'920'872, 0, 0},
    {"nemotron3_nano", 31'577'940'288, 0, 0},
    {"qwen3_235b_a22b", 235'093'634'560, 0, 0},
    {"qwen3_30b_a3b", 30'532'122'624, 0, 0},
    {"qwen3_32b", 32'762'123'264, 0, 0},
    {"qwen3_8b", 8'190'735'360, 0, 0},
    {"qwen3_next_80b", 79'674'391'296, 0, 0},
    {"resnet101", 44'549'160, 7.801e9, 0.5e6},
    {"resnet152", 60'192'808, 11.514e9, 0.5e6},
    {"resnet18", 11'689'512, 1.814e9, 0.5e6},
    {"resnet34", 21'797'672, 3.664e9, 0.5e6},
    {"resnet50", 25'557'032, 4.089e9, 0.5e6},
    {"resnext101_32x4d", 44'177'704, 0, 0},
    {"resnext50_32x4d", 25'028'904, 4.23e9, 5e6},
    {"se_resnext101_32x4d", 48'955'416, 0, 0},
    {"swin_t", 28'288'354, 4.491e9, 0.5e6},
    {"t5_large", 737'668'096, 0, 0},
    {"unet3d", 19'069'955, 0, 0},
    {"vgg11", 132'863'336, 7.609e9, 0.5e6},
    {"vgg16", 138'357'544, 15.47e9, 5e6},
    {"vit_b", 86'567'656, 17.564e9, 0.5e6},
    {"vit_h", 632'045'800, 167.295e9, 0.5e6},
    {"vit_l", 304'326'632, 61.555e9, 0.5e6},
    {"vit_tiny", 208'074, 0, 0},
};

TEST(Zoo, HasThePublishedParameterCounts) {
  for (const Row& row : kRows) {
    const Graph graph = load_model(row.name);
    EXPECT_EQ(graph.parameters(), row.parameters) << row.name;
    EXPECT_EQ(graph.published.parameters, row.parameters) << row.name;
    EXPECT_EQ(graph.name, row.name);
  }
}

TEST(Zoo, HasThePublishedMultiplyAdds) {
  for (const Row& row : kRows) {
    const Graph graph = load_model(row.name);
    EXPECT_EQ(graph.published.multiply_adds, row.multiply_adds) << row.name;
    if (row.multiply_adds == 0) continue;
    EXPECT_NEAR(graph.multiply_adds(), row.multiply_adds, row.rounding) << row.name;
  }
}

TEST(Zoo, IsAllInTheTable) {
  std::set<std::string> known;
  for (const Row& row : kRows) known.insert(row.name);
  for (const std::string& name : names_in("models")) {
    EXPECT_TRUE(known.contains(name)) << name << " has no row in this test";
  }
}

TEST(Zoo, SaysWhereItsFiguresComeFrom) {
  for (const Row& row : kRows) {
    const Graph graph = load_model(row.name);
    EXPECT_FALSE(graph.description.empty()) << row.name;
    EXPECT_FALSE(graph.sources.empty()) << row.name;
    EXPECT_FALSE(graph.published.source.empty()) << row.name;
  }
}

std::string output_of(const Graph& graph, std::string_view name) {
  for (const Layer& layer : graph.layers) {
    if (layer.name == name) return to_text(layer.output);
  }
  return "no layer " + std::string(name);
}

// Extents that the papers print in their tables.
TEST(Zoo, HasTheExtentsOfThePapers) {
  const Graph resnet = load_model("resnet50");
  EXPECT_EQ(output_of(resnet, "conv1"), "64x112x112");
  EXPECT_EQ(output_of(resnet, "layer1.2.relu"), "256x56x56");
  EXPECT_EQ(output_of(resnet, "layer4.2.relu"), "2048x7x7");
  const Graph googlenet = load_model("googlenet");
  EXPECT_EQ(output_of(googlenet, "inception3a.concat"), "256x28x28");
  EXPECT_EQ(output_of(googlenet, "inception4e.concat"), "832x14x14");
  EXPECT_EQ(output_of(googlenet, "inception5b.concat"), "1024x7x7");
  const Graph inception = load_model("inception_v3");
  EXPECT_EQ(output_of(inception, "Mixed_5d.concat"), "288x35x35");
  EXPECT_EQ(output_of(inception, "Mixed_6e.concat"), "768x17x17");
  EXPECT_EQ(output_of(inception, "Mixed_7c.concat"), "2048x8x8");
  EXPECT_EQ(output_of(load_model("densenet121"), "features.norm5"), "1024x7x7");
  EXPECT_EQ(output_of(load_model("overfeat_fast"), "pool5"), "1024x6x6");
}

// ParaDL lists every tensor of its 512³ network: github.com/TruongThaoNguyen/paraDL-analysis,
// ce36803.
TEST(Zoo, HasTheExtentsOfParaDLsCosmoFlow) {
  const Graph graph = load_model("cosmoflow_512");
  EXPECT_EQ(output_of(graph, "conv1.conv"), "16x510x510x510");
  EXPECT_EQ(output_of(graph, "conv2.pool"), "32x126x126x126");
  EXPECT_EQ(output_of(graph, "conv3.conv"), "64x62x62x62");
  EXPECT_EQ(output_of(graph, "conv4.pool"), "128x14x14x14");
  EXPECT_EQ(output_of(graph, "conv6.conv"), "256x5x5x5");
  EXPECT_EQ(output_of(graph, "conv7"), "128");
}

TEST(Zoo, TakesTheThreeSizesOfCosmoFlow) {
  for (const char* size : {"4x128x128x128", "4x256x256x256", "4x512x512x512"}) {
    ModelOverrides overrides;
    overrides.input = parse_input_shape(size);
    const Graph graph = load_model("cosmoflow", overrides);
    const std::int64_t side = (*overrides.input)[Axis::width] / 32;
    // All convolutions are the same; the first dense layer has 512·side³ inputs.
    EXPECT_EQ(graph.parameters(), 8'907'556 + 128 * 512 * (side * side * side - 64)) << size;
  }
}

}  // namespace zoo_test
}  // namespace oracle
