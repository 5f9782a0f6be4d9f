#pragma once
// What image do the bytes of a file hold?
//
// JPEG is decoded by libjpeg-turbo and PNG by libpng, where these were found when this was built.
// Formats are told apart by how their bytes begin; a format is a file of formats/ and a row of
// formats/table.cpp. Read: gray and RGB of one byte a value; a PNG's palette becomes RGB. Refused
// by name: CMYK, transparency, 16 bits a value, other formats.
//
// An image has at most 2^25 pixels (8192x4096) and its file at most 256 MiB, so that decoding takes
// at most 700 MiB: the file, 6 bytes a value of a progressive JPEG, and the values twice.
//
// Worked: a PNG of one pixel with red 1, green 2, blue 3 → 3x1x1, values 1 2 3
//                                                        tests/validate/data/images/image_test.cpp

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 25U;
inline constexpr std::size_t kMostImageBytes = std::size_t{1} << 28U;  ///< of its file

struct ImageShape {
  std::int64_t channels = 0, height = 0, width = 0;

  std::size_t bytes() const { return static_cast<std::size_t>(channels * height * width); }
  bool operator==(const ImageShape&) const = default;
};

/// "3x32x32", as --input takes it.
inline std::string to_text(const ImageShape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" +
         std::to_string(shape.width);
}

/// A byte for each value: channel by channel (red, green, blue), row by row from the top.
struct Image {
  ImageShape shape;
  std::vector<std::uint8_t> values;
};

/// Throws InputError with `name` as its place.
Image decode_image(std::string_view bytes, const std::string& name);

}  // namespace oracle
