#pragma once
// A folder of image files that goes with the test.

#include <filesystem>
#include <fstream>
#include <png.h>
#include <sstream>
#include <string>
#include <system_error>

#include "validate/data/images/image.h"
#include "validate/data/images/read_watch.h"

namespace oracle {

class ImageScratch {
 public:
  ImageScratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "oracle-images-").string();
    pattern.append(6, 'X');
    folder_ = mkdtemp(pattern.data());
  }
  ImageScratch(const ImageScratch&) = delete;
  ImageScratch& operator=(const ImageScratch&) = delete;
  ~ImageScratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

inline ReadWatch& unwatched() {
  static ReadWatch none({.seconds = 0});
  return none;
}

/// A file of tests/data/images, of known pixels.
inline std::string kept_image(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(ORACLE_SOURCE_DIR "/tests/data/images/" + name, std::ios::binary).rdbuf();
  return text.str();
}

/// A PNG by libpng's own encoder, of values that lie pixel by pixel.
inline std::string png(const ImageShape& shape, const std::string& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(shape.width);
  image.height = static_cast<png_uint_32>(shape.height);
  image.format = shape.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr);
  return bytes.substr(0, size);
}

/// A gray image of `width` columns and one row for every `width` values.
inline std::string gray(std::int64_t width, const std::string& values) {
  return png({1, static_cast<std::int64_t>(values.size()) / width, width}, values);
}

}  // namespace oracle
