#include "oracle/report/listing.h"

#include <gtest/gtest.h>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace listing_test {

TEST(Listing, ModelsWithTheirSizes) {
  const Graph graph = small_graph();
  EXPECT_EQ(as_table(model_listing({&graph, 1})),
            "1 model\n"
            "\n"
            "  name   layers  parameters  multiply-adds  description\n"
            "  small       5       2,682         9.47 k  Two layers for tests\n");
  EXPECT_EQ(as_csv(model_listing({&graph, 1})),
            "name,layers,parameters,multiply_adds,input,description\r\n"
            "small,5,2682,9472,3x8x8,Two layers for tests\r\n");
}

TEST(Listing, DevicesWithoutAFormatSayNone) {
  const Device device = small_cluster().device;
  EXPECT_EQ(as_table(device_listing({&device, 1})),
            "1 device\n"
            "\n"
            "  name  full name          fp32  fp16    memory  bandwidth\n"
            "  box   Box 1      15.7 TFLOP/s  none  16.0 GiB   900 GB/s\n");
}

TEST(Listing, ClustersWithTheirRanks) {
  const Cluster cluster = small_cluster();
  EXPECT_EQ(as_csv(cluster_listing({&cluster, 1})),
            "id,ranks,device,description\r\npair,2,box,Two boxes\r\n");
}

TEST(Listing, StrategiesAndCollectivesComeFromTheTables) {
  const std::string strategies = as_csv(strategy_listing());
  for (const char* name : {"data,", "spatial,", "filter,", "channel,", "tensor,", "pipeline,"}) {
    EXPECT_NE(strategies.find(std::string("\n") + name), std::string::npos) << name;
  }
  const std::string collectives = as_csv(collective_listing());
  EXPECT_NE(collectives.find("\r\nall_reduce,ring,"), std::string::npos);
  EXPECT_NE(collectives.find("\r\nall_to_all,"), std::string::npos);
  const std::string exchanges = as_csv(exchange_listing());
  EXPECT_NE(exchanges.find("\r\nint8,"), std::string::npos);
}

}  // namespace listing_test
}  // namespace oracle::report
