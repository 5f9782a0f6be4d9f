#include "validate/data/images/image_set.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <system_error>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/file_bytes.h"
#include "validate/data/images/formats/formats.h"
#include "validate/data/images/listing/listing.h"
#include "validate/data/images/problems.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "put each class's images into a folder of its own below it, or give a tar of images (.jpg, "
    ".png) and their classes (.cls)";

/// A pipe or a device may never end, and what is too large need not be read to be refused.
void require_file(const fs::path& file, std::uintmax_t most) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) return;  // reading says why
  if (!fs::is_regular_file(status)) {
    throw InputError(file.string(), "is a pipe, a device or a folder, and no file of images",
                     "take it away");
  }
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (!error && bytes > most) refuse_image(file.string(), "has more than 256 MiB");
}

class ListedImages : public ImageSet {
 public:
  ListedImages(std::string text, Listing listing, std::unique_ptr<ReadWatch> watch,
               unsigned threads)
      : text_(std::move(text)), watch_(std::move(watch)), listing_(std::move(listing)) {
    shape_ = image_at(0).shape;
    check_images(size(), threads, [this](std::int64_t index) { read_checked(index); });
  }

  std::string text() const override { return text_; }
  ImageShape shape() const override { return shape_; }
  std::int64_t classes() const override { return listing_.classes; }
  std::int64_t size() const override { return static_cast<std::int64_t>(listing_.images.size()); }
  std::int64_t label(std::int64_t index) const override { return at(index).label; }

  void read(std::int64_t index, std::span<std::uint8_t> values) const override {
    const Image image = read_checked(index);
    std::copy(image.values.begin(), image.values.end(), values.begin());
  }

 private:
  const StoredImage& at(std::int64_t index) const {
    return listing_.images[static_cast<std::size_t>(index)];
  }

  static std::string place_of(const StoredImage& image) {
    return image.tar ? image.tar->name() + ": " + in_quotes(image.name) : image.name;
  }

  Image image_at(std::int64_t index) const {
    const StoredImage& image = at(index);
    if (image.tar) {
      if (image.bytes > kMostImageBytes) refuse_image(place_of(image), "has more than 256 MiB");
      return decode_image(image.tar->read(image.offset, image.bytes), place_of(image));
    }
    const auto reading = watch_->reading(image.name);
    require_file(image.name, kMostImageBytes);
    return decode_image(read_bytes(image.name, kMostImageBytes), place_of(image));
  }

  Image read_checked(std::int64_t index) const {
    Image image = image_at(index);
    if (image.shape == shape_) return image;
    throw InputError(
        place_of(at(index)),
        "is " + to_text(image.shape) + ", and " + place_of(at(0)) + " is " + to_text(shape_),
        "give all images one size and as many channels");
  }

  std::string text_;
  std::unique_ptr<ReadWatch> watch_;
  Listing listing_;
  ImageShape shape_;
};

/// A tar, or the tars of a folder.
std::vector<fs::path> tars_at(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> tars = entries_of(path, false);
  std::erase_if(tars, [](const fs::path& file) { return file.extension() != ".tar"; });
  return tars;
}

}  // namespace

std::unique_ptr<ImageSet> open_images(const fs::path& path, unsigned threads, ReadLimit limit) {
  auto watch = std::make_unique<ReadWatch>(std::move(limit));
  const auto found = [&] {
    const auto reading = watch->reading(path.string());
    if (!fs::exists(path)) throw InputError(path.string(), "is not there", kRemedy);
    std::vector<fs::path> tars = tars_at(path);
    for (const fs::path& tar : tars) {
      require_file(tar, std::numeric_limits<std::uintmax_t>::max());
    }
    return tars;
  };
  const std::vector<fs::path> tars = found();
  const bool folders = tars.empty();
  Listing listing =
      folders ? list_class_folders(entries_of(path, true), *watch) : list_tars(tars, *watch);
  if (listing.images.empty()) {
    throw InputError(path.string(), "holds no images with their classes", kRemedy);
  }
  return std::make_unique<ListedImages>((folders ? "images, " : "WebDataset, ") + path.string(),
                                        std::move(listing), std::move(watch), threads);
}

}  // namespace oracle
