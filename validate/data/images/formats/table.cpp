#include <array>

#include "oracle/base/error.h"
#include "validate/data/images/formats/formats.h"

namespace oracle {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view begin;  ///< of its files
  std::string_view name;
  Image (*decode)(std::string_view bytes, const std::string& name) = nullptr;
  std::string_view package{};  ///< of Debian, whose library this program was built without
};
constexpr std::array<Format, 7> kFormats = {{
#ifdef ORACLE_JPEG
    {"\xff\xd8\xff"sv, "JPEG", decode_jpeg},
#else
    {"\xff\xd8\xff"sv, "JPEG", nullptr, "libturbojpeg0-dev"},
#endif
#ifdef ORACLE_PNG
    {"\x89PNG"sv, "PNG", decode_png},
#else
    {"\x89PNG"sv, "PNG", nullptr, "libpng-dev"},
#endif
    {"GIF8"sv, "GIF"},
    {"RIFF"sv, "WebP"},
    {"BM"sv, "BMP"},
    {"II*\0"sv, "TIFF"},
    {"MM\0*"sv, "TIFF"},
}};

}  // namespace

void refuse_image(const std::string& name, const std::string& message) {
  throw InputError(name, message,
                   "give JPEG or PNG, gray or RGB: magick IMAGE -alpha off IMAGE.png");
}

void require_size(std::int64_t height, std::int64_t width, const std::string& name) {
  if (width <= kMostPixels / height) return;
  refuse_image(name, "is " + std::to_string(width) + " by " + std::to_string(height) +
                         " pixels; at most " + std::to_string(kMostPixels) + " are read");
}

Image from_pixels(const ImageShape& shape, const std::vector<std::uint8_t>& pixels) {
  if (shape.channels == 1) return {shape, pixels};
  Image image{shape, std::vector<std::uint8_t>(pixels.size())};
  const auto channels = static_cast<std::size_t>(shape.channels);
  const std::size_t count = pixels.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < count; ++i) image.values[c * count + i] = pixels[i * channels + c];
  }
  return image;
}

Image decode_image(std::string_view bytes, const std::string& name) {
  if (bytes.size() > kMostImageBytes) refuse_image(name, "has more than 256 MiB");
  for (const Format& format : kFormats) {
    if (!bytes.starts_with(format.begin)) continue;
    if (format.decode != nullptr) return format.decode(bytes, name);
    const std::string is = "is " + std::string(format.name);
    if (format.package.empty()) refuse_image(name, is + ", which is not read");
    throw InputError(name, is + ", whose library this program was built without",
                     "install " + std::string(format.package) + ", then build it again");
  }
  refuse_image(name, bytes.empty() ? "is empty" : "is not an image of a known format");
}

}  // namespace oracle
