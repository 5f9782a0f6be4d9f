#include "oracle/cost/uncertainty.h"

#include <gtest/gtest.h>

#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace uncertainty_test {

double width_of(const char* device, DataType type) {
  Cluster cluster;
  cluster.device = load_device(device);
  return kernel_uncertainty(cluster, type);
}

TEST(Uncertainty, WorkedNumber) { EXPECT_EQ(width_of("titan-x-maxwell", DataType::fp32), 0.15); }

TEST(Uncertainty, GenerationsWithoutPublishedStepsAreWiderThanAnyWithThem) {
  for (const char* device : {"titan-x-maxwell", "titan-xp", "v100-sxm2-16gb", "rtx-2080-ti"}) {
    EXPECT_LT(width_of(device, DataType::fp32), width_of("k80", DataType::fp32)) << device;
  }
  for (const char* device : {"v100-sxm2-16gb", "rtx-2080-ti", "a100-sxm4-40gb"}) {
    EXPECT_LT(width_of(device, DataType::fp16), width_of("h100-sxm5-80gb", DataType::fp16));
  }
}

double interval_of(const char* strategy) {
  Training training;
  training.batch = 64;
  const Evaluation evaluation = evaluate(load_model("resnet50"), load_cluster("abci"), Profile{},
                                         parse_strategy(strategy), training);
  return evaluation.fits()->step.uncertainty;
}

/// No framework in wide use divides filters: nothing was measured to fit constants on.
TEST(Uncertainty, StrategiesThatNothingIsLikeAreWidest) {
  EXPECT_GT(interval_of("data:4,filter:4"), 1.5 * interval_of("data:16"));
  EXPECT_GT(interval_of("spatial:4"), 1.5 * interval_of("serial"));
}

TEST(Uncertainty, LinksBetweenNodesAreLessCertainThanThoseInside) {
  const Cluster cluster = load_cluster("dgx-a100");
  const std::array<std::int64_t, 1> few = {8}, many = {16};
  EXPECT_LT(link_uncertainty(place(cluster, few, 1)), link_uncertainty(place(cluster, many, 1)));
}

}  // namespace uncertainty_test
}  // namespace oracle
