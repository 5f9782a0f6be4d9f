#include "oracle/base/last_cache.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/base/fake_root.h"

namespace oracle {
namespace last_cache_test {

constexpr double kKib = 1024;

bool all(std::int64_t) { return true; }

void write_cache(const FakeRoot& root, int processor, int index, const char* level,
                 const char* size, const char* shared) {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(processor) +
                             "/cache/index" + std::to_string(index) + "/";
  root.write(folder + "level", level);
  root.write(folder + "size", size);
  root.write(folder + "shared_cpu_list", shared);
}

TEST(LastCache, EachCountsOnceHoweverManyShareIt) {
  const FakeRoot root;
  for (int processor = 0; processor < 4; ++processor) {
    write_cache(root, processor, 0, "1\n", "48K\n", "");
    write_cache(root, processor, 2, "2\n", "1024K\n", "");
    write_cache(root, processor, 3, "3\n", "32768K\n", processor < 2 ? "0-1\n" : "2-3\n");
  }
  EXPECT_EQ(last_caches(root.path(), all), Bytes{64 * 1024 * kKib});
  EXPECT_EQ(last_caches(root.path(), [](std::int64_t processor) { return processor < 2; }),
            Bytes{32 * 1024 * kKib});
}

TEST(LastCache, WhereNobodySaysWhoSharesItEachHasItsOwn) {
  const FakeRoot root;
  write_cache(root, 0, 0, "2\n", "2M\n", "");
  write_cache(root, 1, 0, "2\n", "2M\n", "");
  EXPECT_EQ(last_caches(root.path(), all), Bytes{4 * 1024 * kKib});
}

TEST(LastCache, SizesOfNoCacheAreNothing) {
  for (const char* size : {"", "K", "-1K", "12", "1 MB", "999999999999G", "many"}) {
    const FakeRoot root;
    write_cache(root, 0, 0, "3\n", size, "0\n");
    EXPECT_EQ(last_caches(root.path(), all), Bytes{}) << size;
  }
  EXPECT_EQ(last_caches("/nonexistent", all), Bytes{});
}

}  // namespace last_cache_test
}  // namespace oracle
