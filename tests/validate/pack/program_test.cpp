#include "validate/pack/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "tests/cli/console.h"
#include "tests/validate/data/images/scratch.h"
#include "validate/data/images/image_set.h"

namespace oracle {
namespace pack_program_test {

using testing::HasSubstr;

cli::Outcome pack(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_pack(pointers, out, err);
  return {code, out.str(), err.str()};
}

TEST(Pack, WritesAFolderIntoOneFile) {
  const ImageScratch scratch;
  scratch.write("set/a/1.pgm", gray(2, "ab"));
  scratch.write("set/b/1.pgm", gray(2, "cd"));
  const std::string file = scratch.path("set.rec").string();
  const cli::Outcome outcome = pack({scratch.path("set").string(), "--out", file});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 images of 1x1x2 in 2 classes"));
  EXPECT_EQ(open_images(file, 1)->size(), 2);
}

TEST(Pack, DamageLeavesNoFile) {
  const ImageScratch scratch;
  scratch.write("set/a/1.pgm", "P5 2 1 255\na");
  const std::string file = scratch.path("set.rec").string();
  const cli::Outcome outcome = pack({scratch.path("set").string(), "--out", file});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("oracle-pack: "));
  EXPECT_THAT(outcome.err, HasSubstr("a/1.pgm: has 1 bytes of values"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Pack, AFullDiskIsNamed) {
  const ImageScratch scratch;
  scratch.write("set/a/1.pgm", gray(2, "ab"));
  const cli::Outcome outcome = pack({scratch.path("set").string(), "--out", "/dev/full"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write /dev/full: No space left on device"));
}

TEST(Pack, HelpAndUsage) {
  EXPECT_EQ(pack({"--help"}).code, 0);
  EXPECT_THAT(pack({"--help"}).out, HasSubstr("oracle-pack"));
  EXPECT_EQ(pack({"set"}).code, 2);
  EXPECT_THAT(pack({"set"}).err, HasSubstr("--out is missing"));
}

}  // namespace pack_program_test
}  // namespace oracle
