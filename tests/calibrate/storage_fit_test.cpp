#include "oracle/calibrate/storage_fit.h"

#include <gtest/gtest.h>

#include "oracle/base/statistics.h"

namespace oracle {
namespace storage_fit_test {

StorageSample sample(StorageOperation operation, double bytes, double seconds, double off = 0) {
  return {operation,
          1,
          false,
          Bytes{bytes},
          {Seconds{seconds}, Seconds{seconds * (1 - off)}, Seconds{seconds * (1 + off)}, 5}};
}

constexpr auto kCheckpoint = StorageOperation::checkpoint;

TEST(StorageFit, WorkedNumber) {
  const auto rates =
      fit_storage(std::vector{sample(kCheckpoint, 10e6, 0.06), sample(kCheckpoint, 30e6, 0.16)});
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_NEAR(rates[0].latency.value, 0.01, 1e-12);
  EXPECT_NEAR(rates[0].rate.value, 200e6, 1e-3);
  EXPECT_EQ(rates[0].least, Bytes{10e6});
  EXPECT_EQ(rates[0].most, Bytes{30e6});
  EXPECT_EQ(rates[0].samples, 10);
  EXPECT_NEAR(rates[0].uncertainty, 0, 1e-9);
}

TEST(StorageFit, OneSizeIsARateAlone) {
  const auto rates = fit_storage(std::vector{sample(StorageOperation::decode, 1e6, 0.01, 0.1)});
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_EQ(rates[0].latency.value, 0);
  EXPECT_NEAR(rates[0].rate.value, 1e8, 1e-6);
  EXPECT_NEAR(rates[0].uncertainty, 0.1 * kNormal90PerDeciles, 1e-12);
}

TEST(StorageFit, AnOutlierOfTenTimesDoesNotMoveTheLine) {
  std::vector<StorageSample> samples;
  for (int i = 1; i <= 9; ++i) samples.push_back(sample(kCheckpoint, i * 1e7, 0.01 + i * 0.05));
  samples[4].time.median = samples[4].time.low = samples[4].time.high = Seconds{2.6};
  const auto rates = fit_storage(samples);
  EXPECT_NEAR(rates[0].latency.value, 0.01, 1e-9);
  EXPECT_NEAR(rates[0].rate.value, 200e6, 1);
}

TEST(StorageFit, WhereLargerIsNoSlowerTheLargestCounts) {
  const auto rates =
      fit_storage(std::vector{sample(kCheckpoint, 1e6, 0.1), sample(kCheckpoint, 4e6, 0.1)});
  EXPECT_EQ(rates[0].latency.value, 0);
  EXPECT_NEAR(rates[0].rate.value, 4e7, 1e-6);
  const auto noise = fit_storage(
      std::vector{sample(kCheckpoint, 1e6, 0.1), sample(kCheckpoint, 4e6, 0.1 + 1e-15)});
  EXPECT_NEAR(noise[0].rate.value, 4e7, 1);
}

TEST(StorageFit, WorkersAndCacheAreKeptApart) {
  std::vector<StorageSample> samples(3, sample(StorageOperation::read_random, 1e6, 0.01));
  samples[1].cached = true;
  samples[2].operation = StorageOperation::decode;
  samples.push_back(samples[2]);
  samples[3].workers = 2;
  EXPECT_EQ(fit_storage(samples).size(), 4U);
  samples[0].bytes = Bytes{0};
  EXPECT_EQ(fit_storage(samples).size(), 3U) << "a read of nothing says nothing";
}

}  // namespace storage_fit_test
}  // namespace oracle
