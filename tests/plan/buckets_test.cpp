#include <gtest/gtest.h>

#include "oracle/plan/exchange.h"

namespace oracle {
namespace buckets_test {

/// "axes bytes last-layer ready" of each bucket.
std::vector<std::array<std::int64_t, 4>> rows_of(Buckets& buckets) {
  std::vector<std::array<std::int64_t, 4>> rows;
  for (const Bucket& bucket : buckets.finish()) {
    EXPECT_EQ(bucket.transfer.collective, Collective::all_reduce);
    EXPECT_EQ(bucket.transfer.payload, Payload::weight_gradient);
    rows.push_back({bucket.transfer.axes, static_cast<std::int64_t>(bucket.transfer.bytes.value),
                    bucket.transfer.layer, bucket.ready_after});
  }
  return rows;
}

using Rows = std::vector<std::array<std::int64_t, 4>>;

TEST(Buckets, CloseOnceTheyHoldEnough) {
  Buckets buckets(Bytes{100});
  buckets.add({1, Bytes{60}, 9, 20});
  buckets.add({1, Bytes{40}, 8, 22});  // reaches the size exactly
  buckets.add({1, Bytes{300}, 7, 24});
  buckets.add({1, Bytes{10}, 6, 26});
  EXPECT_EQ(rows_of(buckets), (Rows{{1, 100, 8, 22}, {1, 300, 7, 24}, {1, 10, 6, 26}}));
}

TEST(Buckets, KeepGroupsOfAxesApart) {
  Buckets buckets(Bytes{100});
  buckets.add({3, Bytes{50}, 9, 20});
  buckets.add({1, Bytes{50}, 8, 22});
  buckets.add({3, Bytes{50}, 7, 24});
  EXPECT_EQ(rows_of(buckets), (Rows{{1, 50, 8, 22}, {3, 100, 7, 24}}));
}

/// What waits for more that never comes is as ready as if it were full.
TEST(Buckets, ComeInTheOrderTheyAreReady) {
  Buckets buckets(Bytes{100});
  buckets.add({1, Bytes{10}, 9, 20});
  buckets.add({2, Bytes{10}, 8, 22});
  buckets.add({4, Bytes{100}, 7, 24});
  buckets.add({1, Bytes{10}, 6, 26});
  buckets.add({4, Bytes{100}, 5, 28});
  EXPECT_EQ(rows_of(buckets),
            (Rows{{2, 10, 8, 22}, {4, 100, 7, 24}, {1, 20, 6, 26}, {4, 100, 5, 28}}));
}

TEST(Buckets, OfNoSizeExchangeEachGradientAtOnce) {
  Buckets buckets(Bytes{});
  buckets.add({1, Bytes{10}, 9, 20});
  buckets.add({1, Bytes{20}, 8, 22});
  EXPECT_EQ(rows_of(buckets), (Rows{{1, 10, 9, 20}, {1, 20, 8, 22}}));
}

TEST(Buckets, HoldNothingWithoutBytes) {
  Buckets buckets(Bytes{});
  buckets.add({1, Bytes{0}, 8, 22});
  EXPECT_TRUE(rows_of(buckets).empty());
}

TEST(Buckets, AddUpWhatGoesToTheHost) {
  Buckets buckets(Bytes{100});
  Gradient one{1, Bytes{60}, 9, 20}, other{1, Bytes{60}, 8, 22};
  one.on_host.gradient = other.on_host.gradient = Bytes{15};
  one.summed_after = 21;
  buckets.add(one);
  buckets.add(other);
  const Bucket& bucket = buckets.finish().front();
  EXPECT_EQ(bucket.to_host, Bytes{30});
  EXPECT_EQ(bucket.summed_after, 21U);
}

}  // namespace buckets_test
}  // namespace oracle
