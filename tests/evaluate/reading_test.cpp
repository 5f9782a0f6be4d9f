#include "oracle/evaluate/reading.h"

#include <gtest/gtest.h>

namespace oracle {
namespace reading_test {

SampleReading from_nfs() {
  SampleReading reading;
  reading.storage.shared = true;
  reading.storage.read = {{1, Bandwidth{66e6}}, {16, Bandwidth{324e6}}};
  reading.storage.write = {{1, Bandwidth{66e6}}};
  reading.storage.open = Seconds{0.003};
  reading.sample = Bytes{114e3};
  return reading;
}

TEST(Reading, WorkedNumbers) {
  SampleReading reading = from_nfs();
  const ReadingTime images = reading_time(reading, 64, 32, 4, 8);
  EXPECT_NEAR(images.storage.value, 0.7206, 1e-4);
  EXPECT_NEAR(images.workers.value, 0.0378, 1e-4);
  reading.samples_per_file = 1251;
  const ReadingTime records = reading_time(reading, 64, 32, 4, 8);
  EXPECT_EQ(records.storage, images.storage);
  EXPECT_NEAR(records.workers.value, 0.0138, 1e-4);
}

TEST(Reading, OfAHostItsOwnRanksReadAlone) {
  SampleReading reading = from_nfs();
  const double of_all = reading_time(reading, 64, 32, 4, 8).storage.value;
  reading.storage.shared = false;
  EXPECT_NEAR(reading_time(reading, 64, 32, 4, 8).storage.value, of_all / 8, 1e-12);
  // Of fewer ranks than a host holds all are on one.
  EXPECT_NEAR(reading_time(reading, 64, 2, 4, 8).storage.value, 64 * 2 * 114e3 / 324e6, 1e-12);
}

TEST(Reading, WhatIsCachedIsNotRead) {
  SampleReading reading = from_nfs();
  reading.decoded_per_second = 100;
  const ReadingTime cold = reading_time(reading, 64, 32, 4, 8);
  reading.cached = 0.75;
  const ReadingTime warm = reading_time(reading, 64, 32, 4, 8);
  EXPECT_NEAR(warm.storage.value, cold.storage.value / 4, 1e-12);
  // Decoding stays.
  EXPECT_GT(warm.workers.value, 64 / 100.0 / 8);
  reading.cached = 1;
  EXPECT_EQ(reading_time(reading, 64, 32, 4, 8).storage.value, 0);
  EXPECT_NEAR(reading_time(reading, 64, 32, 4, 8).workers.value, 64 / 100.0 / 8, 1e-12);
}

TEST(Reading, FewProcessesReachLess) {
  const SampleReading reading = from_nfs();
  // One worker of one rank has the bandwidth of one process.
  EXPECT_NEAR(reading_time(reading, 64, 1, 4, 1).storage.value, 64 * 114e3 / 66e6, 1e-12);
}

}  // namespace reading_test
}  // namespace oracle
