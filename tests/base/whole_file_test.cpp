#include "oracle/base/whole_file.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "oracle/base/error.h"
#include "tests/cli/console.h"

namespace oracle {
namespace whole_file_test {

namespace fs = std::filesystem;
using cli::Scratch;

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(WholeFile, AFileIsReplacedWholeAndNothingIsLeftBeside) {
  const Scratch scratch;
  const fs::path file = scratch.file("answer", "a longer text that was there before");
  write_file(file, "new");
  EXPECT_EQ(Scratch::read(file), "new");
  EXPECT_EQ(files_in(file.parent_path()), 1);
}

TEST(WholeFile, AFileMayBeWrittenPieceByPiece) {
  const Scratch scratch;
  const fs::path file = scratch.file("answer", "before");
  write_file(file, [](const Sink& write) {
    write("one ");
    write("two");
  });
  EXPECT_EQ(Scratch::read(file), "one two");
  const auto fails_halfway = [](const Sink& write) {
    write("half");
    throw EnvironmentError("the rest is not there");
  };
  EXPECT_THROW(write_file(file, fails_halfway), EnvironmentError);
  EXPECT_EQ(Scratch::read(file), "one two");
  EXPECT_EQ(files_in(file.parent_path()), 1);
}

TEST(WholeFile, ANewFileHasThePermissionsOfANewFile) {
  const Scratch scratch;
  const mode_t mask = umask(022);
  write_file(scratch.path("answer"), "text");
  umask(mask);
  struct stat status = {};
  ASSERT_EQ(stat(scratch.path("answer").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST(WholeFile, AFileThatIsReplacedKeepsItsMode) {
  const Scratch scratch;
  const fs::path file = scratch.file("answer", "secret");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file(file, "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WholeFile, WhatCannotBeWrittenIsFoundBeforeTheWork) {
  const Scratch scratch;
  EXPECT_NO_THROW(require_writable(scratch.path("answer")));
  EXPECT_FALSE(fs::exists(scratch.path("answer")));
  EXPECT_NO_THROW(require_writable("/dev/null"));
  EXPECT_THROW(require_writable(scratch.path("nothing") / "answer"), EnvironmentError);
  EXPECT_THROW(require_writable(scratch.path("answer").parent_path()), EnvironmentError);
}

TEST(WholeFile, ALinkStaysALink) {
  const Scratch scratch;
  scratch.file("real", "old");
  fs::create_symlink("real", scratch.path("link"));
  write_file(scratch.path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
  EXPECT_EQ(Scratch::read(scratch.path("real")), "new");
}

TEST(WholeFile, ADeviceIsWrittenAndNotReplaced) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_file("/dev/full", "text"), EnvironmentError);
}

TEST(WholeFile, AFolderIsNoFile) {
  const Scratch scratch;
  fs::create_directory(scratch.path("folder"));
  EXPECT_THROW(write_file(scratch.path("folder"), "text"), EnvironmentError);
  EXPECT_TRUE(fs::is_directory(scratch.path("folder")));
}

}  // namespace whole_file_test
}  // namespace oracle
