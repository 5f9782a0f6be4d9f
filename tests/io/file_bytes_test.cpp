#include "oracle/io/file_bytes.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace oracle {
namespace file_bytes_test {

/// `ulimit -s 64` is all that some shells leave a program.
TEST(FileBytes, AreReadOnASmallStack) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 64UL * 1024), 0);
  std::string bytes;
  const auto read = [](void* into) -> void* {
    *static_cast<std::string*>(into) =
        read_bytes(ORACLE_SOURCE_DIR "/models/alexnet.json", std::size_t{1} << 20U);
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, read, &bytes), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
  EXPECT_NE(bytes.find("\"alexnet\""), std::string::npos);
}

TEST(FileBytes, StopOnceThereAreMoreThanTheReaderTakes) {
  EXPECT_GT(read_bytes(ORACLE_SOURCE_DIR "/models/vgg16.json", 10).size(), 10U);
}

}  // namespace file_bytes_test
}  // namespace oracle
