#pragma once
// What is an image, once its format is read?                  validate/data/images/image_format.h

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

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

}  // namespace oracle
