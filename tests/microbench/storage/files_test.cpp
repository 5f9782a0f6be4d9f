#include "microbench/storage/files.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/cli/console.h"

namespace oracle {
namespace files_test {

TEST(StoredFiles, AFolderIsAllItsFilesByName) {
  const cli::Scratch scratch;
  std::filesystem::create_directories(scratch.path("b"));
  scratch.file("b/2", "four");
  scratch.file("b/1", "one");
  scratch.file("a", "letters");
  scratch.file("empty", "");
  const std::vector<StoredFile> files = files_below(scratch.path(""));
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].path, scratch.path("a"));
  EXPECT_EQ(files[0].bytes, 7U);
  EXPECT_EQ(files[1].path, scratch.path("b/1"));
  EXPECT_EQ(files[2].bytes, 4U);
  EXPECT_EQ(files_below(scratch.path("a")).size(), 1U);
}

TEST(StoredFiles, NothingToReadIsSaid) {
  const cli::Scratch scratch;
  scratch.file("empty", "");
  EXPECT_THROW(files_below(scratch.path("")), InputError);
  EXPECT_THROW(files_below(scratch.path("absent")), InputError);
  EXPECT_THROW(drop_from_memory({scratch.path("absent"), 1}), EnvironmentError);
  EXPECT_THROW(share_in_memory({scratch.path("absent"), 1}), EnvironmentError);
}

TEST(StoredFiles, WhatWasJustReadIsInMemory) {
  const cli::Scratch scratch;
  const StoredFile file{scratch.file("a", std::string(1 << 16, 'a')), 1 << 16};
  EXPECT_EQ(cli::Scratch::read(file.path).size(), file.bytes);
  EXPECT_EQ(share_in_memory(file), 1);
  drop_from_memory(file);
  const double left = share_in_memory(file);
  EXPECT_TRUE(left >= 0 && left <= 1) << left;
}

}  // namespace files_test
}  // namespace oracle
