// What would somebody who knows these GPUs say at once? Samples per second of whole networks lie in
// bands around what was published, and faster GPUs and narrower formats are faster.

#include <gtest/gtest.h>
#include <ostream>

#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace expert_table_test {

double samples_per_second(const char* model, const char* device, const char* framework,
                          const char* precision, std::int64_t batch) {
  Training training{batch, precision_named(precision), optimizer_named("momentum")};
  training.run_by(load_framework(framework));
  const Evaluation evaluation =
      evaluate(load_model(model), load_cluster(std::string("1x1x") + device), Profile{},
               parse_strategy("serial"), training);
  return evaluation.fits() == nullptr ? 0 : evaluation.fits()->samples_per_second;
}

struct Cell {
  const char *model, *device, *framework, *precision;
  std::int64_t batch;
  double least, most;  ///< samples per second

  friend std::ostream& operator<<(std::ostream& out, const Cell& cell) {
    return out << cell.model << " on " << cell.device << ", " << cell.precision;
  }
};

class ExpertTable : public testing::TestWithParam<Cell> {};

TEST_P(ExpertTable, LiesInTheBand) {
  const Cell& cell = GetParam();
  const double rate =
      samples_per_second(cell.model, cell.device, cell.framework, cell.precision, cell.batch);
  EXPECT_GT(rate, cell.least);
  EXPECT_LT(rate, cell.most);
}

// TensorFlow benchmarks, 2017: 52 (K80), 219 (P100), and 36 and 154 for VGG16; DLPerf, 2020: 363
// and 1,298 (V100); FleetX, 2020: 261 and 469 for VGG16 (V100).
INSTANTIATE_TEST_SUITE_P(
    Published, ExpertTable,
    testing::Values(Cell{"resnet50", "k80", "tensorflow", "fp32", 64, 36, 68},
                    Cell{"vgg16", "k80", "tensorflow", "fp32", 32, 23, 48},
                    Cell{"resnet50", "p100-sxm2-16gb", "tensorflow", "fp32", 64, 150, 290},
                    Cell{"vgg16", "p100-sxm2-16gb", "tensorflow", "fp32", 64, 105, 205},
                    Cell{"resnet50", "v100-sxm2-16gb", "tensorflow", "fp32", 128, 250, 470},
                    Cell{"resnet50", "v100-sxm2-16gb", "mxnet-ngc", "fp16", 256, 850, 1700},
                    Cell{"vgg16", "v100-sxm2-32gb", "paddle", "fp32", 64, 175, 345},
                    Cell{"vgg16", "v100-sxm2-32gb", "paddle", "fp16", 64, 325, 630}));

TEST(ExpertTable, FasterGpusAreFaster) {
  for (const char* model : {"resnet50", "vgg16"}) {
    const auto rate = [&](const char* device, const char* precision) {
      return samples_per_second(model, device, "pytorch-channels-last", precision, 64);
    };
    EXPECT_LT(rate("k80", "fp32"), rate("t4", "fp32")) << model;
    EXPECT_LT(rate("t4", "fp32"), rate("v100-sxm2-16gb", "fp32")) << model;
    EXPECT_LT(rate("v100-sxm2-16gb", "fp32"), rate("a100-sxm4-40gb", "tf32")) << model;
    EXPECT_LT(rate("a100-sxm4-40gb", "tf32"), rate("h100-sxm5-80gb", "tf32")) << model;
    EXPECT_LT(rate("t4", "fp16"), rate("v100-sxm2-16gb", "fp16")) << model;
    EXPECT_LT(rate("v100-sxm2-16gb", "fp16"), rate("a100-sxm4-40gb", "fp16")) << model;
    EXPECT_LT(rate("a100-sxm4-40gb", "fp16"), rate("h100-sxm5-80gb", "fp16")) << model;
  }
}

/// Mixed precision is worth it on each matrix unit, and tf32 is never slower than fp32: a library
/// that may use it may also not.
TEST(ExpertTable, NarrowerFormatsAreFaster) {
  for (const char* model : {"resnet50", "vgg16"}) {
    for (const char* device : {"t4", "v100-sxm2-16gb", "a100-sxm4-40gb", "h100-sxm5-80gb"}) {
      EXPECT_GT(samples_per_second(model, device, "pytorch-channels-last", "fp16", 64),
                1.3 * samples_per_second(model, device, "pytorch-channels-last", "fp32", 64))
          << model << " on " << device;
    }
    for (const char* device : {"rtx3090", "a100-sxm4-40gb", "h100-sxm5-80gb"}) {
      for (const char* framework : {"pytorch", "pytorch-channels-last"}) {
        EXPECT_GE(samples_per_second(model, device, framework, "tf32", 64),
                  samples_per_second(model, device, framework, "fp32", 64))
            << model << " on " << device;
      }
    }
  }
}

}  // namespace expert_table_test
}  // namespace oracle
