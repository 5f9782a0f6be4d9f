#include "oracle/accuracy/run_class.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"

namespace oracle {
namespace run_class_test {

RunClass class_of_text(const char* strategy, const char* cluster = "abci") {
  return class_of(parse_strategy(strategy), Training{}, load_cluster(cluster));
}

TEST(RunClass, WorkedNumber) {
  EXPECT_EQ(class_of_text("data:8,filter:4"),
            (RunClass{"data+filter", "several nodes", "volta", "fp32"}));
}

TEST(RunClass, NamesWhatIsDivided) {
  EXPECT_EQ(class_of_text("serial"), (RunClass{"one device", "one device", "volta", "fp32"}));
  EXPECT_EQ(class_of_text("data:4").kind, "data parallel");
  EXPECT_EQ(class_of_text("data:4").scale, "one node");
  EXPECT_EQ(class_of_text("spatial:2x2").kind, "spatial");
  EXPECT_EQ(class_of_text("conv*=data:4,filter:4; *=data:4,whole:4").kind, "data+filter");
  EXPECT_EQ(class_of_text("data:2,tensor:2,pipeline:2").kind, "data+tensor+pipeline");
  EXPECT_EQ(class_of_text("tensor_sequence:8").kind, "tensor");
  EXPECT_EQ(class_of_text("context:2,expert:2").kind, "context+expert");
  EXPECT_EQ(class_of_text("data:2", "xeon-ethernet").generation, "cpu");
}

}  // namespace run_class_test
}  // namespace oracle
