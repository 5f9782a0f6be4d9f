#include "validate/data/images/image.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <turbojpeg.h>

#include "oracle/base/error.h"
#include "tests/validate/data/images/scratch.h"

namespace oracle {
namespace image_test {

using testing::Each;
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

Image kept(const std::string& name) { return decode_image(kept_image(name), name); }

/// By libjpeg-turbo's own encoder, without loss of resolution in the colors.
std::string jpeg(const ImageShape& shape, const Values& pixels, int quality) {
  const std::unique_ptr<void, int (*)(tjhandle)> encoder(tjInitCompress(), tjDestroy);
  const bool is_gray = shape.channels == 1;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  tjCompress2(encoder.get(), pixels.data(), static_cast<int>(shape.width), 0,
              static_cast<int>(shape.height), is_gray ? TJPF_GRAY : TJPF_RGB, &bytes, &size,
              is_gray ? TJSAMP_GRAY : TJSAMP_444, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(bytes, tjFree);
  return {reinterpret_cast<const char*>(bytes), size};
}

/// A slope along each axis, another one in each channel.
Values slopes(const ImageShape& shape) {
  Values pixels;
  for (std::int64_t h = 0; h < shape.height; ++h) {
    for (std::int64_t w = 0; w < shape.width; ++w) {
      for (std::int64_t c = 0; c < shape.channels; ++c) {
        pixels.push_back(static_cast<std::uint8_t>(40 * c + 3 * h + 2 * w));
      }
    }
  }
  return pixels;
}

/// The largest difference to values that lie pixel by pixel.
int largest_difference(const Image& image, const Values& pixels) {
  const auto channels = static_cast<std::size_t>(image.shape.channels);
  const std::size_t count = pixels.size() / channels;
  int largest = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const int value = image.values[i % channels * count + i / channels];
    largest = std::max(largest, std::abs(value - pixels[i]));
  }
  return largest;
}

TEST(Image, ColorsOfAPngBecomeChannels) {
  const Image image = kept("rgb.png");  // pixels 1 2 3 and 4 5 6
  EXPECT_EQ(image.shape, (ImageShape{3, 1, 2}));
  EXPECT_EQ(image.values, (Values{1, 4, 2, 5, 3, 6}));
}

TEST(Image, EveryKindOfPngOfABytePerValueIsExact) {
  EXPECT_EQ(kept("gray.png").shape, (ImageShape{1, 2, 2}));
  EXPECT_EQ(kept("gray.png").values, (Values{0, 100, 200, 255}));
  EXPECT_EQ(kept("bits.png").values, (Values{255, 0, 255})) << "one bit a pixel";
  EXPECT_EQ(kept("palette.png").shape, (ImageShape{3, 1, 2})) << "colors 7 8 9 and 1 2 3";
  EXPECT_EQ(kept("palette.png").values, (Values{1, 7, 2, 8, 3, 9}));
  EXPECT_EQ(kept("interlaced.png").values, (Values{10, 20, 30, 40, 50, 60, 70, 80, 90}));
}

TEST(Image, APngHasTheValuesThatItWasWrittenFrom) {
  for (const std::int64_t channels : {1, 3}) {
    const ImageShape shape{channels, 13, 17};
    const Values pixels = slopes(shape);
    const Image image = decode_image(png(shape, {pixels.begin(), pixels.end()}), "a.png");
    EXPECT_EQ(image.shape, shape);
    EXPECT_EQ(largest_difference(image, pixels), 0);
  }
}

/// One color has but the first coefficient of a block: what is left is its rounding.
TEST(Image, AJpegOfOneColorIsThatColor) {
  EXPECT_EQ(kept("gray.jpg").shape, (ImageShape{1, 8, 8}));
  EXPECT_THAT(kept("gray.jpg").values, Each(testing::AllOf(testing::Ge(99), testing::Le(101))));
  for (const char* name : {"rgb.jpg", "progressive.jpg"}) {
    const Image image = kept(name);
    ASSERT_EQ(image.shape, (ImageShape{3, 16, 16}));
    Values pixels;
    for (int i = 0; i < 256; ++i) pixels.insert(pixels.end(), {200, 50, 100});
    EXPECT_LE(largest_difference(image, pixels), 2) << name;
  }
}

TEST(Image, AJpegIsCloseToWhatItWasWrittenFrom) {
  for (const std::int64_t channels : {1, 3}) {
    const ImageShape shape{channels, 19, 21};
    const Values pixels = slopes(shape);
    const Image image = decode_image(jpeg(shape, pixels, 98), "a.jpg");
    EXPECT_EQ(image.shape, shape);
    EXPECT_LE(largest_difference(image, pixels), 4);
  }
}

TEST(Image, WhatIsNoByteOfGrayOrRgbIsRefusedByName) {
  EXPECT_THAT(problem_of(kept_image("rgba.png")), HasSubstr("a.img: is a PNG with transparency"));
  EXPECT_THAT(problem_of(kept_image("gray_alpha.png")), HasSubstr("PNG with transparency"));
  EXPECT_THAT(problem_of(kept_image("palette_transparent.png")), HasSubstr("with transparency"));
  EXPECT_THAT(problem_of(kept_image("gray_16.png")), HasSubstr("is a PNG of 16 bits a value"));
  EXPECT_THAT(problem_of(kept_image("cmyk.jpg")), HasSubstr("is a JPEG in CMYK; give JPEG or PNG"));
}

TEST(Image, OtherFormatsAreRefusedByName) {
  EXPECT_THAT(problem_of("GIF89a"), HasSubstr("a.img: is GIF, which is not read"));
  EXPECT_THAT(problem_of("BM"), HasSubstr("is BMP"));
  EXPECT_THAT(problem_of("hello"), HasSubstr("is not an image of a known format"));
  EXPECT_THAT(problem_of(""), HasSubstr("is empty"));
}

/// Whatever is missing at the end, but for a PNG's last chunk behind its pixels.
TEST(Image, WhatIsCutShortIsDamaged) {
  for (const char* name : {"gray.jpg", "rgb.jpg", "progressive.jpg"}) {
    const std::string bytes = kept_image(name);
    for (std::size_t size = 3; size < bytes.size() - 2; ++size) {
      EXPECT_THAT(problem_of(bytes.substr(0, size)), HasSubstr("is a damaged JPEG: ")) << size;
    }
  }
  const std::string bytes = kept_image("rgb.png");
  for (std::size_t size = 4; size < bytes.size() - 16; ++size) {
    EXPECT_THAT(problem_of(bytes.substr(0, size)), HasSubstr("is a damaged PNG: ")) << size;
  }
}

TEST(Image, ADamagedPngIsToldByItsChecksum) {
  std::string bytes = kept_image("rgb.png");
  bytes[45] = static_cast<char>(bytes[45] ^ 1);
  EXPECT_THAT(problem_of(bytes), HasSubstr("is a damaged PNG: "));
}

/// The header alone is read before memory is taken for what it promises.
TEST(Image, NoImageHasMorePixelsThanItMay) {
  std::string bytes = kept_image("rgb.jpg");
  const std::size_t frame = bytes.find("\xff\xc0");
  bytes.replace(frame + 5, 4, std::string("\x10\0\x20\x01", 4));
  EXPECT_THAT(problem_of(bytes), HasSubstr("is 8193 by 4096 pixels; at most 33554432 are read"));
}

/// Each scan of a progressive image goes over all of its pixels again.
TEST(Image, AJpegOfVeryManyScansIsRefused) {
  std::string bytes = kept_image("progressive.jpg");
  const std::string scans = bytes.substr(bytes.find("\xff\xda"));
  bytes.resize(bytes.size() - 2);
  for (int i = 0; i < 100; ++i) bytes += scans.substr(0, scans.size() - 2);
  EXPECT_THAT(problem_of(bytes + scans), HasSubstr("is a damaged JPEG: "));
}

}  // namespace image_test
}  // namespace oracle
