#include "validate/data/images/tar.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/validate/data/images/scratch.h"

namespace oracle {
namespace tar_test {

using testing::HasSubstr;

constexpr std::size_t kBlock = 512;

/// A header and the member's bytes, filled up to whole blocks.
std::string member(const std::string& name, const std::string& bytes, char type = '0',
                   std::string size = {}) {
  std::string block(kBlock, '\0');
  block.replace(0, name.size(), name);
  std::ostringstream octal;
  octal << std::oct << bytes.size();
  if (size.empty()) size = octal.str();
  block.replace(124, size.size(), size);
  block.replace(148, 8, 8, ' ');
  block[156] = type;
  block.replace(257, 6, "ustar\0", 6);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<std::uint8_t>(c);
  std::ostringstream checksum;
  checksum << std::oct << sum;
  block.replace(148, checksum.str().size() + 1, checksum.str() + '\0');
  return block + bytes + std::string((kBlock - bytes.size() % kBlock) % kBlock, '\0');
}

const std::string kEnd(2 * kBlock, '\0');

std::string problem_of(const std::string& bytes) {
  const ImageScratch scratch;
  try {
    const auto file = scratch.write("a.tar", bytes);
    TarFile(file, unwatched()).members();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Names and contents of what lies in a tar.
std::vector<std::pair<std::string, std::string>> contents(const std::filesystem::path& file) {
  const TarFile tar(file, unwatched());
  std::vector<std::pair<std::string, std::string>> found;
  for (const TarMember& each : tar.members()) {
    found.emplace_back(each.name, tar.read(each.offset, each.bytes));
  }
  return found;
}

/// Names longer than a header holds, as each form of the system's tar writes them.
TEST(Tar, IsReadAsTarWritesIt) {
  const ImageScratch scratch;
  const std::string deep = std::string(90, 'd') + "/" + std::string(60, 'n');
  const std::string long_bytes(1000, 'x');
  scratch.write("set/" + deep, long_bytes);
  scratch.write("set/empty", "");
  scratch.write("set/short", "abc");
  std::filesystem::create_symlink("short", scratch.path("set/link"));
  const std::string folder = scratch.path("set").string();
  for (const std::string form : {"ustar", "gnu", "pax"}) {
    const auto file = scratch.path(form + ".tar");
    const std::string command = "tar --sort=name --format=" + form + " -cf " + file.string() +
                                " -C " + folder + " " + deep.substr(0, 90) + " empty link short";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_THAT(contents(file),
                testing::ElementsAre(testing::Pair(deep, long_bytes), testing::Pair("empty", ""),
                                     testing::Pair("short", "abc")))
        << form;
  }
}

TEST(Tar, SizesMayBeInBinaryOrInAPaxHeader) {
  const ImageScratch scratch;
  const std::string binary = "\x80" + std::string(10, '\0') + "\x03";
  const auto file = scratch.write("a.tar", member("a", "abc", '0', binary) +
                                               member("x", "10 size=3\n11 path=bb\n", 'x') +
                                               member("b", "def", '0', "0") + kEnd);
  EXPECT_THAT(contents(file),
              testing::ElementsAre(testing::Pair("a", "abc"), testing::Pair("bb", "def")));
}

TEST(Tar, EachKindOfDamageIsTold) {
  const std::string whole = member("a", "abc");
  EXPECT_EQ(problem_of(whole + kEnd), "");
  EXPECT_THAT(problem_of(""), HasSubstr("a.tar: is not a tar archive"));
  EXPECT_THAT(
      problem_of(whole),
      HasSubstr(
          "a.tar: ends without a tar's last blocks: it is truncated; write it again with tar"));
  EXPECT_THAT(problem_of(whole.substr(0, 514)), HasSubstr("ends within \"a\""));
  EXPECT_THAT(problem_of(std::string(kBlock, 'x')), HasSubstr("is not a tar archive"));
  EXPECT_THAT(problem_of("\x1f\x8b" + std::string(kBlock, 'x')), HasSubstr("is compressed"));
  EXPECT_THAT(problem_of(whole + "x" + whole.substr(1)),
              HasSubstr("is damaged: no header at byte 1024"));
  EXPECT_THAT(problem_of(member("a", "abc", '0', "77777777777") + kEnd), HasSubstr("ends within"));
  EXPECT_THAT(problem_of(member("a", "abc", '0', "\x80" + std::string(11, '\xff')) + kEnd),
              HasSubstr("ends within"));
  EXPECT_THAT(problem_of(member("a", "abc", '0', "3x") + kEnd), HasSubstr("ends within"));
  for (const char* records : {"99 path=a\n", "0 path=a\n", "10 path=ab", "path", "7 path\n"}) {
    EXPECT_THAT(problem_of(member("x", records, 'x') + whole + kEnd),
                HasSubstr("a pax header is not one"))
        << records;
  }
  EXPECT_THAT(problem_of(member("x", std::string(2'000'000, ' '), 'x') + kEnd),
              HasSubstr("a header of 2000000 bytes"));
}

TEST(Tar, WhatCannotBeReadFailsByName) {
  EXPECT_THROW(TarFile("/no/such.tar", unwatched()), EnvironmentError);
  EXPECT_THROW(TarFile("/dev/null", unwatched()), EnvironmentError);
  const ImageScratch scratch;
  const TarFile tar(scratch.write("a.tar", "abc"), unwatched());
  EXPECT_THROW(tar.read(1, 3), EnvironmentError);
}

}  // namespace tar_test
}  // namespace oracle
