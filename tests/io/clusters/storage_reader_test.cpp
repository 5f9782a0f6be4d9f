#include "oracle/io/clusters/storage_reader.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace storage_reader_test {

StorageSystem read(const std::string& members) {
  return read_storage(json::parse(
      R"({"schema": "oracle/storage/1", "name": "Mine", )" + members + "}", "mine.json"));
}

std::string problem_of(const std::string& members) {
  try {
    read(members);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kCurves =
    R"("read": [{"processes": 1, "bandwidth": "66 MB/s"}, {"processes": 4, "bandwidth": "1 GB/s"}],
       "write": [{"processes": 1, "bandwidth": "50 MB/s"}])";

TEST(StorageReader, ReadsCurves) {
  const StorageSystem storage = read(R"("of": "host", "open": "3 ms", )" + kCurves);
  EXPECT_EQ(storage.id, "mine");
  EXPECT_FALSE(storage.shared);
  ASSERT_EQ(storage.read.size(), 2U);
  EXPECT_EQ(storage.read[1].processes, 4);
  EXPECT_EQ(storage.read[1].total, Bandwidth{1e9});
  EXPECT_EQ(storage.open, Seconds{0.003});
  EXPECT_EQ(source_of(storage, "read"), Source::assumed);
  EXPECT_TRUE(read(R"("of": "cluster", "open": "0 s", )" + kCurves).shared);
}

TEST(StorageReader, SaysWhatIsWrong) {
  const auto expect = [](const std::string& members, const std::string& words) {
    EXPECT_NE(problem_of(members).find(words), std::string::npos) << problem_of(members);
  };
  expect(R"("of": "rack", "open": "3 ms", )" + kCurves, "is neither \"host\" nor \"cluster\"");
  expect(R"("of": "host", "open": "3", )" + kCurves, "has no unit");
  expect(R"("of": "host", )" + kCurves, "open");
  expect(R"("of": "host", "open": "3 ms", "read": [], "write": [])", "has no point");
  expect(R"("of": "host", "open": "3 ms", "write": [{"processes": 2, "bandwidth": "1 MB/s"},
            {"processes": 2, "bandwidth": "1 MB/s"}], "read": [{"processes": 1, "bandwidth": "0 B/s"}])",
         "are not more than those of the point before");
  expect(R"("of": "host", "open": "3 ms", "opens": 1, )" + kCurves, "did you mean \"open\"?");
}

TEST(StorageReader, EveryShippedStorageIsRead) {
  setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
  const auto names = names_in("data/storage");
  EXPECT_GE(names.size(), 6U);
  for (const std::string& name : names) {
    const StorageSystem storage = load_storage(name);
    EXPECT_EQ(storage.sources.size(), 3U) << name;
    EXPECT_GT(write_time(storage, Bytes{1e9}).value, 0.1) << name;
  }
  // As NoPFS publishes it.
  EXPECT_EQ(bandwidth_of(load_storage("lassen-gpfs").read, 256), Bandwidth{23532e6});
}

}  // namespace storage_reader_test
}  // namespace oracle
