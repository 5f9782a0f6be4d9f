#include "microbench/storage/samples_json.h"

#include <array>
#include <gtest/gtest.h>

#include "oracle/io/calibration/calibration_samples.h"

namespace oracle {
namespace storage_samples_json_test {

TEST(StorageSamplesJson, TheReaderTakesWhatIsWritten) {
  std::array<StorageTimes, 2> times{
      {{"read_random", 150528, 1, true, {}}, {"decode", 150528, 4, false, {}}}};
  for (StorageTimes& one : times) {
    for (const double seconds : {1e-3, 2e-3, 3e-3}) one.series.add(seconds);
  }
  const CalibrationSamples read = read_calibration_samples(
      json::parse(storage_samples_json({{"command", "oracle-bench-input"}}, times), "s.json"));
  ASSERT_EQ(read.storage.size(), 2U);
  EXPECT_EQ(read.storage[0].operation, StorageOperation::read_random);
  EXPECT_EQ(read.storage[0].bytes, Bytes{150528});
  EXPECT_TRUE(read.storage[0].cached);
  EXPECT_EQ(read.storage[0].time.median, Seconds{2e-3});
  EXPECT_EQ(read.storage[0].time.count, 3);
  EXPECT_EQ(read.storage[1].operation, StorageOperation::decode);
  EXPECT_EQ(read.storage[1].workers, 4);
}

}  // namespace storage_samples_json_test
}  // namespace oracle
