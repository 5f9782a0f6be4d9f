#include "validate/data/images/image_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace image_format_test {

using testing::HasSubstr;
using Values = std::vector<std::uint8_t>;

std::string problem_of(const std::string& bytes) {
  try {
    decode_image(bytes, "a.img");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string word(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xffU);
  return text;
}

/// A bitmap's two headers (14 and 40 bytes), a palette and rows of pixels.
std::string bitmap(int width, int height, int bits, const std::string& rows,
                   const std::string& palette = {}, std::uint32_t compression = 0) {
  const auto begin = static_cast<std::uint32_t>(54 + palette.size());
  return "BM" + word(begin + static_cast<std::uint32_t>(rows.size()), 4) + word(0, 4) +
         word(begin, 4) + word(40, 4) + word(static_cast<std::uint32_t>(width), 4) +
         word(static_cast<std::uint32_t>(height), 4) + word(1, 2) +
         word(static_cast<std::uint32_t>(bits), 2) + word(compression, 4) + word(0, 12) +
         word(static_cast<std::uint32_t>(palette.size() / 4), 4) + word(0, 4) + palette + rows;
}

TEST(ImageFormat, ColorsBecomeChannels) {
  const Image image = decode_image("P6\n2 1\n255\n\x01\x02\x03\x04\x05\x06", "a.ppm");
  EXPECT_EQ(image.shape, (ImageShape{3, 1, 2}));
  EXPECT_EQ(image.values, (Values{1, 4, 2, 5, 3, 6}));
}

TEST(ImageFormat, GrayIsOneChannelAndCommentsAreNoNumbers) {
  const Image image = decode_image("P5 # 9 9\n2\t#\n2 255 abcd", "a.pgm");
  EXPECT_EQ(image.shape, (ImageShape{1, 2, 2}));
  EXPECT_EQ(image.values, (Values{'a', 'b', 'c', 'd'}));
}

TEST(ImageFormat, SmallerRangesAreStretched) {
  EXPECT_EQ(decode_image(std::string("P5 3 1 3 \0\x01\x03", 12), "a.pgm").values,
            (Values{0, 85, 255}));
}

TEST(ImageFormat, BitmapsAreReadFromTheBottomAndInReverse) {
  // Two rows of one pixel of blue, green, red, filled up to four bytes.
  const std::string rows = std::string("\x03\x02\x01\0", 4) + std::string("\x06\x05\x04\0", 4);
  const Image image = decode_image(bitmap(1, 2, 24, rows), "a.bmp");
  EXPECT_EQ(image.shape, (ImageShape{3, 2, 1}));
  EXPECT_EQ(image.values, (Values{4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(decode_image(bitmap(1, -2, 24, rows), "a.bmp").values, (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(decode_image(bitmap(2, 1, 32, rows), "a.bmp").values, (Values{1, 4, 2, 5, 3, 6}));
}

TEST(ImageFormat, BitmapsMayHaveAPalette) {
  const std::string palette = std::string("\x09\x08\x07\0", 4) + std::string("\x03\x02\x01\0", 4);
  EXPECT_EQ(decode_image(bitmap(2, 1, 8, std::string("\x01\0\0\0", 4), palette), "a.bmp").values,
            (Values{1, 7, 2, 8, 3, 9}));
  EXPECT_THAT(problem_of(bitmap(1, 1, 8, std::string("\x02\0\0\0", 4), palette)),
              HasSubstr("past its palette"));
}

TEST(ImageFormat, OtherFormatsAreRefusedByName) {
  EXPECT_THAT(problem_of("\xff\xd8\xff\xe0"), HasSubstr("a.img: is JPEG, which is not read here"));
  EXPECT_THAT(problem_of("\x89PNG\r\n"), HasSubstr("is PNG"));
  EXPECT_THAT(problem_of("P3 1 1 255 1 2 3"), HasSubstr("as text"));
  EXPECT_THAT(problem_of("hello"), HasSubstr("no image of a known format; turn it into PPM"));
  EXPECT_THAT(problem_of(""), HasSubstr("is empty"));
}

TEST(ImageFormat, DamageIsToldApart) {
  EXPECT_THAT(problem_of("P6 2 1 255 abc"), HasSubstr("has 3 bytes of values where 3x1x2 takes 6"));
  EXPECT_THAT(problem_of("P5 1 1 255 abc"), HasSubstr("has 3 bytes"));
  EXPECT_THAT(problem_of("P5 1 1 9 a"), HasSubstr("holds the value 97"));
  EXPECT_THAT(problem_of("P5 1 1 65535 ab"), HasSubstr("largest value"));
  EXPECT_THAT(problem_of("P5 -1 1 255 a"), HasSubstr("width"));
  EXPECT_THAT(problem_of("P5 99999999999999999999 1 255 a"), HasSubstr("width"));
  EXPECT_THAT(problem_of("P5 1 1 255"), HasSubstr("followed by a blank"));
  EXPECT_THAT(problem_of("BM"), HasSubstr("ends within its header"));
  EXPECT_THAT(problem_of(bitmap(1, 2, 24, "abcd")), HasSubstr("fewer bytes than its 2 rows of 4"));
  EXPECT_THAT(problem_of(bitmap(1, 1, 24, "abcd", {}, 1)), HasSubstr("compressed"));
  EXPECT_THAT(problem_of(bitmap(1, 1, 16, "abcd")), HasSubstr("16 bits a pixel"));
  EXPECT_THAT(problem_of(bitmap(0, 1, 24, "abcd")), HasSubstr("0 by 1 pixels"));
}

}  // namespace image_format_test
}  // namespace oracle
