#include "validate/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/validate/checkpoint/file_bytes.h"
#include "validate/command/ranks.h"

namespace oracle {
namespace checkpoint_test {

Checkpoint small() {
  Checkpoint checkpoint;
  checkpoint.head = {"net", "adam", "fp32", "generated", 7, 16, 12, 11, 32768, 11};
  checkpoint.tensors = {{{"fc.weight", {2, 3}}, {1, 2, 3, 4, 5, 6}},
                        {{"fc.bias", {2}}, {-0.5F, 8}}};
  return checkpoint;
}

TEST(Checkpoint, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.safetensors";
  write_checkpoint(file, small());
  const CheckpointFile read(file);
  EXPECT_EQ(read.head(), small().head);
  EXPECT_EQ(read.tensors().size(), 2U);
  EXPECT_EQ(read.read("fc.weight"), small().tensors[0].values);
  EXPECT_EQ(read.read("fc.bias"), small().tensors[1].values);
  EXPECT_EQ(read.find("fc.gain"), nullptr);
  EXPECT_EQ(small().bytes(), 32);
}

/// The layout that others read: length, header, values in the order of the header.
TEST(Checkpoint, IsSafetensors) {
  const TemporaryFolder folder;
  write_checkpoint(folder.path() / "a", small());
  const std::string bytes = bytes_of_file(folder.path() / "a");
  const std::uint64_t length = header_length(bytes);
  EXPECT_EQ(length % 8, 0U);
  ASSERT_EQ(bytes.size(), 8 + length + 32);
  EXPECT_EQ(bytes[8], '{');
  const std::string one("\0\0\x80\x3f", 4);
  EXPECT_EQ(bytes.substr(8 + length, 4), one);
}

TEST(Checkpoint, SameStateMakesTheSameBytes) {
  const TemporaryFolder folder;
  write_checkpoint(folder.path() / "a", small());
  write_checkpoint(folder.path() / "b", small());
  EXPECT_EQ(bytes_of_file(folder.path() / "a"), bytes_of_file(folder.path() / "b"));
}

/// Cut anywhere, or with any one byte changed, it is none.
TEST(Checkpoint, TornFilesAreNone) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a";
  write_checkpoint(file, small());
  const std::string whole = bytes_of_file(file);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put_bytes(file, whole.substr(0, length));
    EXPECT_THROW(CheckpointFile{file}, InputError) << "cut after " << length;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    put_bytes(file, changed);
    EXPECT_THROW(CheckpointFile{file}, InputError) << "changed at " << i;
  }
  put_bytes(file, whole + "x");
  EXPECT_THROW(CheckpointFile{file}, InputError);
  // As a file system leaves one whose blocks never reached the medium.
  put_bytes(file, std::string(whole.size(), '\0'));
  EXPECT_THROW(CheckpointFile{file}, InputError);
  put_bytes(file, whole);
  EXPECT_NO_THROW(CheckpointFile{file});
}

}  // namespace checkpoint_test
}  // namespace oracle
