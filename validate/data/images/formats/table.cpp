#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "validate/data/images/formats/formats.h"
#include "validate/data/images/image_format.h"

namespace oracle {
namespace {

using namespace std::string_view_literals;

struct Format {
  bool (*is)(std::string_view bytes);
  Image (*decode)(std::string_view bytes, const std::string& name);
};
constexpr std::array<Format, 2> kFormats = {{{is_pnm, decode_pnm}, {is_bmp, decode_bmp}}};

/// Formats that are known by their first bytes, and not read.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kRefused = {
    {{"\xff\xd8\xff"sv, "JPEG"},
     {"\x89PNG"sv, "PNG"},
     {"GIF8"sv, "GIF"},
     {"RIFF"sv, "WebP"},
     {"II*\0"sv, "TIFF"},
     {"MM\0*"sv, "TIFF"},
     {"P2"sv, "PGM as text (P2)"},
     {"P3"sv, "PPM as text (P3)"}}};

}  // namespace

void refuse_image(const std::string& name, const std::string& message) {
  throw InputError(name, message, "turn it into PPM or BMP: magick IMAGE -depth 8 IMAGE.ppm");
}

Image decode_image(std::string_view bytes, const std::string& name) {
  for (const Format& format : kFormats) {
    if (format.is(bytes)) return format.decode(bytes, name);
  }
  for (const auto& [begin, format] : kRefused) {
    if (bytes.starts_with(begin)) {
      refuse_image(name, "is " + std::string(format) + ", which is not read here");
    }
  }
  refuse_image(name, bytes.empty() ? "is empty" : "is no image of a known format");
}

}  // namespace oracle
