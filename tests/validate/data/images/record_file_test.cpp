#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "oracle/base/error.h"
#include "tests/validate/data/images/scratch.h"
#include "validate/data/images/record_form.h"
#include "validate/data/images/sets/sets.h"

namespace oracle {
namespace record_file_test {

using testing::HasSubstr;
using Values = std::vector<std::uint8_t>;

/// Two classes, three images of 1x1x2.
std::string packed(const ImageScratch& scratch) {
  scratch.write("set/a/1.pgm", gray(2, "ab"));
  scratch.write("set/a/2.pgm", gray(2, "cd"));
  scratch.write("set/b/1.pgm", gray(2, "ef"));
  const auto set = open_images(scratch.path("set"), 1);
  write_records(*set, scratch.path("set.rec"));
  std::ostringstream bytes;
  bytes << std::ifstream(scratch.path("set.rec"), std::ios::binary).rdbuf();
  return bytes.str();
}

std::string problem_of(std::string bytes) {
  try {
    read_records(in_memory("set.rec", std::move(bytes)), 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RecordFile, ChecksumsAreThoseOfIeee8023) {
  const std::string digits = "123456789";
  const std::vector<std::uint8_t> bytes(digits.begin(), digits.end());
  EXPECT_EQ(crc32(bytes), 0xcbf43926U);
  const std::span<const std::uint8_t> all(bytes);
  EXPECT_EQ(crc32(all.subspan(4), crc32(all.first(4))), 0xcbf43926U);
}

TEST(RecordFile, HoldsWhatTheFolderHolds) {
  const ImageScratch scratch;
  EXPECT_EQ(packed(scratch).size(), 40U + 3 * 4 + 3 * (2 + 4));
  const auto set = open_images(scratch.path("set.rec"), 2);
  EXPECT_EQ(set->size(), 3);
  EXPECT_EQ(set->classes(), 2);
  EXPECT_EQ(set->shape(), (ImageShape{1, 1, 2}));
  EXPECT_EQ(set->label(1), 0);
  EXPECT_EQ(set->label(2), 1);
  Values values(2);
  set->read(2, values);
  EXPECT_EQ(values, (Values{'e', 'f'}));
}

TEST(RecordFile, AnyByteThatChangesIsNoticed) {
  const ImageScratch scratch;
  const std::string sound = packed(scratch);
  ASSERT_EQ(problem_of(sound), "");
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_NE(problem_of(damaged), "") << "byte " << at;
  }
}

TEST(RecordFile, DamageIsNamed) {
  const ImageScratch scratch;
  const std::string sound = packed(scratch);
  EXPECT_THAT(problem_of(sound.substr(0, 39)), HasSubstr("set.rec: ends within its header"));
  EXPECT_THAT(problem_of(sound.substr(0, sound.size() - 1)),
              HasSubstr("has 69 bytes, which are not those of 3 images"));
  EXPECT_THAT(problem_of(sound + "x"), HasSubstr("has 71 bytes"));
  std::string other = sound;
  other[8] = 2;
  EXPECT_THAT(problem_of(other), HasSubstr("is of version 2, and 1 is read"));
  other = sound;
  other[sound.size() - 5] = 'x';
  EXPECT_THAT(problem_of(other), HasSubstr("set.rec: image 2: is damaged: its checksum differs"));
}

TEST(RecordFile, ALabelPastTheClassesIsRefused) {
  auto header = record_header({1, 1, 1}, 2, 1);
  std::vector<std::uint8_t> rest(4 + 1 + 4);
  put(rest, 2, 4);
  const std::span<std::uint8_t> all(header);
  const std::uint32_t own = crc32(all.last(8), crc32(all.first(28)));
  put(all.subspan(28), crc32(std::span(rest).first(4), own), 4);
  std::string bytes(header.begin(), header.end());
  bytes.append(rest.begin(), rest.end());
  EXPECT_THAT(problem_of(bytes), HasSubstr("image 0: has the label 2, and there are 2 classes"));
}

}  // namespace record_file_test
}  // namespace oracle
