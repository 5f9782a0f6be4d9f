#include "validate/data/images/image_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  scratch.write("dog/2.pgm", gray(2, "cd"));
  scratch.write("dog/10.pgm", gray(2, "ab"));
  scratch.write("cat/z.pgm", gray(2, "xy"));
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
  scratch.write("a/1.pgm", gray(2, "xy"));
  scratch.write("a/2.pgm", gray(1, "x"));
  scratch.write("b/1.pgm", "P5 2 1 255\nx");
  scratch.write("b/2.jpg", "\xff\xd8\xff");
  const std::vector<std::string> problems = problems_of(scratch.path(""));
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_THAT(problems[0], HasSubstr("a/2.pgm: is 1x1x1, and "));
  EXPECT_THAT(problems[0], HasSubstr("a/1.pgm is 1x1x2; give all images one size"));
  EXPECT_THAT(problems[1], HasSubstr("b/1.pgm: has 1 bytes of values"));
  EXPECT_THAT(problems[2], HasSubstr("b/2.jpg: is JPEG"));
}

TEST(ImageSet, AClassWithoutImagesIsNoClass) {
  const ImageScratch scratch;
  scratch.write("a/1.pgm", gray(1, "x"));
  std::filesystem::create_directories(scratch.path("b"));
  ASSERT_EQ(problems_of(scratch.path("")).size(), 1U);
  EXPECT_THAT(problems_of(scratch.path("")).front(), HasSubstr("b: is a class without images"));
}

TEST(ImageSet, CifarIsReadAcrossItsBatches) {
  const ImageScratch scratch;
  scratch.write("data_batch_2.bin", cifar_record(9, 'c'));
  scratch.write("data_batch_1.bin", cifar_record(3, 'a') + cifar_record(0, 'b'));
  scratch.write("test_batch.bin", cifar_record(1, 't'));
  scratch.write("batches.meta.txt", "airplane\n");
  const auto set = open_images(scratch.path(""), 1);
  EXPECT_EQ(set->size(), 3);
  EXPECT_EQ(set->classes(), 10);
  EXPECT_EQ(set->shape(), (ImageShape{3, 32, 32}));
  EXPECT_EQ(set->label(0), 3);
  EXPECT_EQ(set->label(2), 9);
  EXPECT_EQ(image(*set, 1), Values(3072, 'b'));
  EXPECT_EQ(image(*set, 2), Values(3072, 'c'));
  EXPECT_EQ(open_images(scratch.path("data_batch_1.bin"), 1)->size(), 2);
}

TEST(ImageSet, DamageOfCifarIsNamedByFileAndRecord) {
  const ImageScratch scratch;
  scratch.write("data_batch_1.bin", cifar_record(1, 'a') + cifar_record(10, 'b'));
  scratch.write("data_batch_2.bin", cifar_record(1, 'a') + "x");
  scratch.write("data_batch_3.bin", "");
  const std::vector<std::string> problems = problems_of(scratch.path(""));
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_THAT(problems[0], HasSubstr("data_batch_1.bin: record 1: has the label 10"));
  EXPECT_THAT(problems[1], HasSubstr("data_batch_2.bin: has 3074 bytes"));
  EXPECT_THAT(problems[2], HasSubstr("data_batch_3.bin: has 0 bytes"));
}

TEST(ImageSet, WhatIsNoSetIsRefused) {
  const ImageScratch scratch;
  ASSERT_EQ(problems_of(scratch.path("absent")).size(), 1U);
  EXPECT_THAT(problems_of(scratch.path("absent")).front(), HasSubstr("is not there"));
  scratch.write("loose.pgm", gray(1, "x"));
  EXPECT_THAT(problems_of(scratch.path("")).front(), HasSubstr("nor class folders"));
  EXPECT_THAT(problems_of(scratch.path("loose.pgm")).front(), HasSubstr("neither a record file"));
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
