// Through libpng's simplified interface, which returns an error where png_read_image would jump.

#include <memory>
#include <png.h>

#include "validate/data/images/formats/formats.h"

namespace oracle {

Image decode_png(std::string_view bytes, const std::string& name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> owner(&png, png_image_free);
  const auto require = [&](int worked) {
    if (worked == 0) refuse_image(name, std::string("is a damaged PNG: ") + png.message);
  };
  require(png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()));
  if ((png.format & PNG_FORMAT_FLAG_ALPHA) != 0) refuse_image(name, "is a PNG with transparency");
  if ((png.format & PNG_FORMAT_FLAG_LINEAR) != 0) refuse_image(name, "is a PNG of 16 bits a value");
  require_size(png.height, png.width, name);
  const bool gray = (png.format & PNG_FORMAT_FLAG_COLOR) == 0;
  const ImageShape shape{gray ? 1 : 3, png.height, png.width};
  std::vector<std::uint8_t> pixels(shape.bytes());
  png.format = gray ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  require(png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr));
  return from_pixels(shape, pixels);
}

}  // namespace oracle
