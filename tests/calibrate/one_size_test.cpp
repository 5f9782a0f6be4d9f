#include "oracle/calibrate/one_size.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"

namespace oracle {
namespace one_size_test {

LinkFits fits_of(double bytes, double seconds, const Cluster& cluster) {
  LinkSample one;
  one.level = cluster.levels.back().name;
  one.bytes = Bytes{bytes};
  one.median = one.low = one.high = Seconds{seconds};
  LinkFits fits = fit_links(std::vector<LinkSample>(2, one));
  describe_one_size(fits, cluster);
  return fits;
}

TEST(OneSize, AByteTellsTheLatency) {
  const Cluster cluster = load_cluster("dgx-a100");
  const LinkFits fits = fits_of(1, 2.4e-6, cluster);
  ASSERT_EQ(fits.fits.size(), 1U);
  const LinkPiece& piece = fits.fits[0].pieces.at(0);
  EXPECT_NEAR(piece.latency.value, 2.4e-6, 1e-9);
  EXPECT_EQ(piece.bandwidth, cluster.levels.back().uplink.flow_limit);
  EXPECT_GE(piece.uncertainty, 0.25);
}

TEST(OneSize, ALongMessageTellsTheBandwidth) {
  const Cluster cluster = load_cluster("dgx-a100");
  const LinkFits fits = fits_of(1e9, 0.1, cluster);
  ASSERT_EQ(fits.fits.size(), 1U);
  const LinkPiece& piece = fits.fits[0].pieces.at(0);
  EXPECT_EQ(piece.latency, cluster.levels.back().uplink.latency);
  EXPECT_NEAR(piece.bandwidth.value, 10e9, 1e7);
}

TEST(OneSize, ATimeBelowTheDescribedLatencyIsLeftOut) {
  Cluster cluster = load_cluster("dgx-a100");
  cluster.levels.back().uplink.latency = Seconds{1e-3};
  const LinkFits fits = fits_of(1e6, 1e-6, cluster);
  EXPECT_TRUE(fits.fits.empty());
  EXPECT_EQ(fits.left_out.size(), 1U);
}

}  // namespace one_size_test
}  // namespace oracle
