#include "validate/data/images/image_set.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "oracle/base/error.h"
#include "tests/validate/data/images/scratch.h"
#include "validate/data/images/problems.h"

namespace oracle {
namespace image_set_test {

using testing::HasSubstr;
using Values = std::vector<std::uint8_t>;

std::vector<std::string> problems_of(const std::filesystem::path& path) {
  std::vector<std::string> texts;
  try {
    open_images(path, 2);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) texts.push_back(to_text(problem));
  }
  return texts;
}

Values image(const ImageSet& set, std::int64_t index) {
  Values values(set.shape().bytes());
  set.read(index, values);
  return values;
}

TEST(ImageSet, AFolderOfClassesIsNumberedByName) {
  const ImageScratch scratch;
  scratch.write("dog/2.png", gray(2, "cd"));
  scratch.write("dog/10.png", gray(2, "ab"));
  scratch.write("cat/z.png", gray(2, "xy"));
  scratch.write("cat/.hidden", "no image");
  const auto set = open_images(scratch.path(""), 2);
  EXPECT_EQ(set->size(), 3);
  EXPECT_EQ(set->classes(), 2);
  EXPECT_EQ(set->shape(), (ImageShape{1, 1, 2}));
  EXPECT_EQ(set->label(0), 0);
  EXPECT_EQ(set->label(1), 1);
  EXPECT_EQ(set->label(2), 1);
  EXPECT_EQ(image(*set, 0), (Values{'x', 'y'}));
  EXPECT_EQ(image(*set, 1), (Values{'a', 'b'}));
  EXPECT_EQ(image(*set, 2), (Values{'c', 'd'}));
}

TEST(ImageSet, EveryDamagedImageIsNamed) {
  const ImageScratch scratch;
  scratch.write("a/1.png", gray(2, "xy"));
  scratch.write("a/2.png", gray(1, "x"));
  scratch.write("b/1.png", gray(2, "xy").substr(0, 40));
  scratch.write("b/2.jpg", "\xff\xd8\xff");
  const std::vector<std::string> problems = problems_of(scratch.path(""));
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_THAT(problems[0], HasSubstr("a/2.png: is 1x1x1, and "));
  EXPECT_THAT(problems[0], HasSubstr("a/1.png is 1x1x2; give all images one size"));
  EXPECT_THAT(problems[1], HasSubstr("b/1.png: is a damaged PNG"));
  EXPECT_THAT(problems[2], HasSubstr("b/2.jpg: is a damaged JPEG"));
}

/// Whoever reads a pipe that no one writes waits for ever.
TEST(ImageSet, WhatNeverEndsIsRefused) {
  const ImageScratch scratch;
  scratch.write("a/1.png", gray(2, "xy"));
  const std::string pipe = scratch.path("a/0.png").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(open_images(scratch.path(""), 2), InputError);
  EXPECT_THROW(open_images(pipe, 2), InputError);
}

TEST(ImageSet, AFileThatIsTooLargeIsRefusedUnread) {
  const ImageScratch scratch;
  scratch.write("a/0.png", gray(2, "xy"));
  std::filesystem::resize_file(scratch.write("a/1.png", gray(2, "xy")), std::uintmax_t{3} << 30U);
  const std::vector<std::string> problems = problems_of(scratch.path(""));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], HasSubstr("a/1.png: has more than 256 MiB"));
}

TEST(ImageSet, AClassWithoutImagesIsNoClass) {
  const ImageScratch scratch;
  scratch.write("a/1.png", gray(1, "x"));
  std::filesystem::create_directories(scratch.path("b"));
  ASSERT_EQ(problems_of(scratch.path("")).size(), 1U);
  EXPECT_THAT(problems_of(scratch.path("")).front(), HasSubstr("b: is a class without images"));
}

/// A tar of a folder's files, as tar writes it.
std::filesystem::path packed(const ImageScratch& scratch, const std::string& folder) {
  const std::string file = scratch.path(folder + ".tar").string();
  const std::string command =
      "tar --sort=name -cf " + file + " -C " + scratch.path(folder).string() + " .";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return file;
}

TEST(ImageSet, MembersOfOneNameAreASample) {
  const ImageScratch scratch;
  scratch.write("set/000001.png", gray(2, "ab"));
  scratch.write("set/000001.cls", "4\n");
  scratch.write("set/000001.json", "{}");
  scratch.write("set/b/2.PNG", gray(2, "cd"));
  scratch.write("set/b/2.cls", "0");
  scratch.write("set/README.md", "not a sample");
  const auto set = open_images(packed(scratch, "set"), 2);
  EXPECT_THAT(set->text(), testing::AllOf(HasSubstr("WebDataset, "), HasSubstr("set.tar")));
  EXPECT_EQ(set->size(), 2);
  EXPECT_EQ(set->classes(), 5);
  EXPECT_EQ(set->label(0), 4);
  EXPECT_EQ(set->label(1), 0);
  EXPECT_EQ(image(*set, 0), (Values{'a', 'b'}));
  EXPECT_EQ(image(*set, 1), (Values{'c', 'd'}));
}

TEST(ImageSet, TarsOfAFolderAreOneSet) {
  const ImageScratch scratch;
  for (const std::string number : {"0", "1"}) {
    scratch.write("part-" + number + "/a.png", gray(1, number));
    scratch.write("part-" + number + "/a.cls", number);
    packed(scratch, "part-" + number);
  }
  const auto set = open_images(scratch.path(""), 2);
  EXPECT_EQ(set->size(), 2);
  EXPECT_EQ(set->label(1), 1);
  EXPECT_EQ(image(*set, 1), Values{'1'});
}

TEST(ImageSet, SamplesThatAreNotWholeAreNamed) {
  const ImageScratch scratch;
  scratch.write("set/a.png", gray(1, "x"));
  scratch.write("set/b.cls", "0");
  scratch.write("set/c.cls", "cat");
  scratch.write("set/c.png", gray(1, "x"));
  scratch.write("set/d.cls", "-1");
  scratch.write("set/d.png", gray(1, "x"));
  scratch.write("set/e.cls", "99999999999999999999");
  scratch.write("set/e.jpg", "x");
  scratch.write("set/e.png", "x");
  const std::vector<std::string> problems = problems_of(packed(scratch, "set"));
  ASSERT_EQ(problems.size(), 6U);
  EXPECT_THAT(problems[0], HasSubstr("set.tar: \"./e.png\": is a second one of its sample"));
  EXPECT_THAT(problems[1], HasSubstr("\"./a.png\": has no class next to it (.cls)"));
  EXPECT_THAT(problems[2], HasSubstr("\"./b.cls\": has no image next to it"));
  EXPECT_THAT(problems[3], HasSubstr("\"./c.cls\": does not hold a class"));
  EXPECT_THAT(problems[4], HasSubstr("\"./d.cls\": does not hold a class"));
  EXPECT_THAT(problems[5], HasSubstr("\"./e.cls\": does not hold a class"));
}

TEST(ImageSet, DamagedImagesOfATarAreNamed) {
  const ImageScratch scratch;
  scratch.write("set/a.png", gray(2, "xy"));
  scratch.write("set/b.png", gray(1, "x"));
  scratch.write("set/c.jpg", "\xff\xd8\xff");
  for (const char* label : {"a", "b", "c"})
    scratch.write(std::string("set/") + label + ".cls", "0");
  const std::vector<std::string> problems = problems_of(packed(scratch, "set"));
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_THAT(problems[0], HasSubstr("set.tar: \"./b.png\": is 1x1x1, and "));
  EXPECT_THAT(problems[1], HasSubstr("set.tar: \"./c.jpg\": is a damaged JPEG"));
}

TEST(ImageSet, WhatIsNoSetIsRefused) {
  const ImageScratch scratch;
  ASSERT_EQ(problems_of(scratch.path("absent")).size(), 1U);
  EXPECT_THAT(problems_of(scratch.path("absent")).front(), HasSubstr("is not there"));
  scratch.write("loose.png", gray(1, "x"));
  EXPECT_THAT(problems_of(scratch.path("")).front(),
              HasSubstr("holds no images with their classes"));
  EXPECT_THAT(problems_of(scratch.path("loose.png")).front(), HasSubstr("is not a tar archive"));
  scratch.write("empty.tar", std::string(1024, '\0'));
  EXPECT_THAT(problems_of(scratch.path("empty.tar")).front(), HasSubstr("holds no images"));
}

TEST(ImageSet, OfManyProblemsTheFirstTwentyAreTold) {
  try {
    check_images(1000, 4, [](std::int64_t index) {
      if (index % 3 == 0) throw InputError(std::to_string(index), "is damaged");
    });
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 20U);
    EXPECT_EQ(error.problems().front().place, "0");
    EXPECT_EQ(error.problems().back().place, "57");
  }
}

}  // namespace image_set_test
}  // namespace oracle
