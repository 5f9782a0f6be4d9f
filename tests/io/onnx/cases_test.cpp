// Small networks as exporters write them, against counts by hand: tests/data/cases/README.md.

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/graph/kinds/kind.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"

namespace oracle {
namespace cases_test {

struct Case {
  const char* file;
  std::int64_t parameters;
  double multiply_adds;
  /// Of a layer that must be there; empty where none is asked for.
  const char* shape = "";
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.file; }

std::string path_of(const Case& of) {
  return std::string(ORACLE_SOURCE_DIR "/tests/data/cases/") + of.file + ".onnx";
}

class OnnxCase : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  }
};

TEST_P(OnnxCase, HasTheRightCounts) {
  const Graph graph = load_onnx(path_of(GetParam()));
  EXPECT_EQ(graph.parameters(), GetParam().parameters);
  EXPECT_EQ(graph.multiply_adds(), GetParam().multiply_adds);
  const std::string shape = GetParam().shape;
  const bool there = std::any_of(graph.layers.begin(), graph.layers.end(), [&](const Layer& layer) {
    return layer.kind->name != "input" && to_text(layer.output) == shape;
  });
  EXPECT_TRUE(shape.empty() || there) << shape;
}

// --skip-unknown changes nothing where every operator is known.
TEST_P(OnnxCase, LosesNothingWhereOperatorsMayBeSkipped) {
  ModelOverrides overrides;
  overrides.skip_unknown = true;
  const Graph graph = load_onnx(path_of(GetParam()), overrides);
  EXPECT_EQ(graph.parameters(), GetParam().parameters);
  EXPECT_EQ(graph.multiply_adds(), GetParam().multiply_adds);
}

INSTANTIATE_TEST_SUITE_P(SharedWeights, OnnxCase,
                         testing::Values(Case{"shared_conv", 8 * 8 * 9 + 8 + 90, 294'992},
                                         Case{"tied_embedding", 1000 * 64 + 64 * 64 + 64,
                                              2'179'072},
                                         Case{"shared_head_scales", 4'960, 1'474'880}));

INSTANTIATE_TEST_SUITE_P(ComputedWeights, OnnxCase,
                         testing::Values(Case{"pos_table_gather", 500 * 64 + 512 * 64 + 64 * 8,
                                              16'384},
                                         Case{"conv_weight_from_mul", 16 * 27 + 16 + 170, 27'808}));

INSTANTIATE_TEST_SUITE_P(ConstantNodes, OnnxCase,
                         testing::Values(Case{"constnode_ln", 288, 5'120},
                                         Case{"constnode_posembed", 20 * 16 + 16 * 16, 5'120}));

INSTANTIATE_TEST_SUITE_P(KnownInOtherForms, OnnxCase,
                         testing::Values(Case{"reshape_fold_batch_gemm", 544, 10'240},
                                         Case{"convt_dilated", 4 * 6 * 9 + 70, 17'556},
                                         Case{"matmul_left_const", 20 * 20 + 170, 6'560}));

INSTANTIATE_TEST_SUITE_P(
    TransposedConvolutions, OnnxCase,
    testing::Values(Case{"convt_depthwise", 6 * 9 + 70, 6 * 9 * 81 + 60, "6x18x18"},
                    Case{"convt_outpad", 5 * 4 * 9 + 4 + 50, 5 * 4 * 9 * 49 + 40, "4x14x14"}));

INSTANTIATE_TEST_SUITE_P(Elements, OnnxCase,
                         testing::Values(Case{"elem_Max", 170, 160, "16x8x8"},
                                         Case{"elem_Floor", 170, 160},
                                         Case{"add_broadcast_small_first", 170, 160, "16x8x8"}));

INSTANTIATE_TEST_SUITE_P(Movements, OnnxCase,
                         testing::Values(Case{"depth_to_space", 50, 40, "4x16x16"},
                                         Case{"slice_flip", 170, 160, "16x8x8"},
                                         Case{"concat_positions", 512, 15'360},
                                         Case{"pad_reflect_conv", 778, 166'008, "12x16x16"},
                                         Case{"pad_channels", 994, 169'464},
                                         Case{"pad_negative_crop", 2'474, 83'104, "16x6x6"},
                                         Case{"resize_scale_07", 426, 12'704, "16x7x7"},
                                         Case{"upsample7", 170, 160, "16x16x16"}));

INSTANTIATE_TEST_SUITE_P(Reductions, OnnxCase,
                         testing::Values(Case{"reduce_mean_width_only", 170, 160},
                                         Case{"reduce_max_tokens", 426, 5'280},
                                         Case{"reduce_mean_tokens", 170, 160}));

INSTANTIATE_TEST_SUITE_P(
    Networks, OnnxCase,
    testing::Values(Case{"lstm", 4 * 32 * (24 + 32 + 2) + 330, 143'680},
                    Case{"two_outputs", 602, 15'712}, Case{"bert_like_mask", 34'816, 16'384},
                    Case{"reshape_shape14_slice", 10'672, 37'888},
                    Case{"arch_rotary_attention", 4 * 64 * 64, 466'944},
                    Case{"cls_token_expand", 10'618, 147'936}, Case{"qdq_conv", 778, 127'128},
                    Case{"squeeze_noaxes", 170, 160},
                    Case{"arch_dcgan", 60'704, 231'424, "3x16x16"},
                    Case{"uint8_input", 602, 27'808}, Case{"local_function", 602, 27'808}));

// Exports of whole networks and of their forms: tests/data/onnx/README.md. MACs by hand: a layer of
// an encoder is tokens·(4·width² + 2·width·inner) + 2·tokens²·width.
class OnnxForm : public testing::TestWithParam<Case> {};

TEST_P(OnnxForm, HasTheRightCounts) {
  if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  const Graph graph =
      load_onnx(std::string(ORACLE_SOURCE_DIR "/tests/data/onnx/") + GetParam().file + ".onnx");
  EXPECT_EQ(graph.parameters(), GetParam().parameters);
  EXPECT_EQ(graph.multiply_adds(), GetParam().multiply_adds);
}

constexpr double encoder(double tokens, double width, double inner) {
  return tokens * (4 * width * width + 2 * width * inner) + 2 * tokens * tokens * width;
}

INSTANTIATE_TEST_SUITE_P(
    Transformers, OnnxForm,
    testing::Values(
        Case{"vit_b_16", 86'567'656, 196.0 * 768 * 768 + 12 * encoder(197, 768, 3072) + 768 * 1000},
        Case{"swin_t", 28'596'370, 4'490'566'656},
        Case{"bert", 76'560, 2 * encoder(20, 48, 192) + 48 * 48},
        Case{"gpt2", 88'512, 2 * encoder(20, 48, 192) + 20 * 48 * 300},
        Case{"t5_encoder", 51'632, 2 * encoder(20, 48, 96)},
        Case{"whisper_encoder", 77'568,
             100.0 * 80 * 48 * 3 + 50.0 * 48 * 48 * 3 + 2 * encoder(50, 48, 192)},
        // A decoder reads 12 tokens of the encoder in each of two layers.
        Case{"translation", 49'380,
             2 * encoder(12, 32, 64) + 2 * encoder(9, 32, 64) + 2 * (2 * 9 + 2 * 12) * 32.0 * 32 +
                 2 * 2 * 9 * 12 * 32.0 + 9 * 32 * 100}));

INSTANTIATE_TEST_SUITE_P(Others, OnnxForm,
                         testing::Values(Case{"lstm_classifier", 64'586,
                                              20 * 2.0 * 4 * 32 * ((24 + 32) + (64 + 32)) + 640},
                                         Case{"retinanet", 34'041'559, 24'240'065'024},
                                         Case{"convnext_tiny", 28'589'128, 4'455'531'264},
                                         Case{"fcn_resnet50", 32'929'941, 26'484'498'432},
                                         Case{"query_attention", 1'304, 171'328},
                                         Case{"frames_lstm", 1'956,
                                              5 * (100.0 * 8 * 27 + 4 * 16 * (8 + 16)) + 64}));

}  // namespace cases_test
}  // namespace oracle
