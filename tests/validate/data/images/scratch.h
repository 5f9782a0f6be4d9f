#pragma once
// A folder of image files that goes with the test.

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

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

/// A gray image of `width` columns and one row for every `width` values.
inline std::string gray(int width, const std::string& values) {
  return "P5 " + std::to_string(width) + " " +
         std::to_string(values.size() / static_cast<std::size_t>(width)) + " 255\n" + values;
}

/// One record of CIFAR-10 whose values are all `value`.
inline std::string cifar_record(char label, char value) {
  return std::string(1, label) + std::string(3072, value);
}

}  // namespace oracle
