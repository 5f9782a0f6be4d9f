// A folder with a folder of images for each class. Classes and images are numbered in the order of
// their names; names that begin with a dot are passed over.

#include <algorithm>

#include "oracle/io/file_bytes.h"
#include "validate/data/images/image_format.h"
#include "validate/data/images/problems.h"
#include "validate/data/images/sets/sets.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 30U;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// What a folder holds, by name.
std::vector<fs::path> entries_of(const fs::path& folder, bool folders) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_hidden(entry.path()) && entry.is_directory() == folders) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

struct Labelled {
  fs::path file;
  std::int64_t label = 0;
};

class ImageFolder : public ImageSet {
 public:
  ImageFolder(const fs::path& folder, unsigned threads) : text_("images, " + folder.string()) {
    ImageProblems problems;
    for (const fs::path& own : entries_of(folder, true)) {
      const std::vector<fs::path> files = entries_of(own, false);
      if (files.empty()) {
        problems.add({own.string(), "is a class without images", "take it away, or fill it"});
      }
      for (const fs::path& file : files) images_.push_back({file, classes_});
      ++classes_;
    }
    problems.raise();
    shape_ = image_at(0).shape;
    check_images(size(), threads, [this](std::int64_t index) {
      require_shape(at(index).file, image_at(index).shape);
    });
  }

  std::string text() const override { return text_; }
  ImageShape shape() const override { return shape_; }
  std::int64_t classes() const override { return classes_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(images_.size()); }
  std::int64_t label(std::int64_t index) const override { return at(index).label; }

  void read(std::int64_t index, std::span<std::uint8_t> values) const override {
    const Image image = image_at(index);
    require_shape(at(index).file, image.shape);
    std::copy(image.values.begin(), image.values.end(), values.begin());
  }

 private:
  const Labelled& at(std::int64_t index) const { return images_[static_cast<std::size_t>(index)]; }

  Image image_at(std::int64_t index) const {
    const std::string name = at(index).file.string();
    const std::string bytes = read_bytes(name, kMostBytes);
    if (bytes.size() > kMostBytes) {
      throw InputError(name, "has more than 1 GiB", "give smaller images");
    }
    return decode_image(bytes, name);
  }

  void require_shape(const fs::path& file, const ImageShape& shape) const {
    if (shape == shape_) return;
    throw InputError(file.string(),
                     "is " + to_text(shape) + ", and " + images_.front().file.string() + " is " +
                         to_text(shape_),
                     "give all images one size and as many channels");
  }

  std::string text_;
  std::vector<Labelled> images_;
  ImageShape shape_;
  std::int64_t classes_ = 0;
};

}  // namespace

bool is_image_folder(const fs::path& path) {
  return fs::is_directory(path) && !entries_of(path, true).empty();
}

std::unique_ptr<ImageSet> open_image_folder(const fs::path& path, unsigned threads) {
  return std::make_unique<ImageFolder>(path, threads);
}

}  // namespace oracle
