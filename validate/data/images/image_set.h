#pragma once
// Which images and classes does a user bring?
//
//   a folder of class folders      each image's class is its folder (listing/folder.cpp)
//   a tar, or a folder of tars     WebDataset's form: members of one name up to its first dot are a
//                                  sample, an image (.jpg, .jpeg, .png) and its class (.cls)
//                                  (listing/tars.cpp; github.com/webdataset/webdataset)
//
// All of it is checked when it is opened, so that training never begins on a damaged set.
//
// Worked: two class folders of 3 and 2 images → 5 images, labels 0 0 0 1 1
//                                                tests/validate/data/images/image_set_test.cpp

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "validate/data/images/image.h"
#include "validate/data/images/read_watch.h"

namespace oracle {

class ImageSet {
 public:
  virtual ~ImageSet() = default;
  /// "WebDataset, data/photos.tar"
  virtual std::string text() const = 0;
  virtual ImageShape shape() const = 0;  ///< of every image
  virtual std::int64_t classes() const = 0;
  virtual std::int64_t size() const = 0;  ///< images, at least 1
  /// In [0, classes).
  virtual std::int64_t label(std::int64_t index) const = 0;
  /// Fills shape().bytes() values (Image::values); called by several threads at a time. Throws
  /// InputError or EnvironmentError where the image is no longer what it was.
  virtual void read(std::int64_t index, std::span<std::uint8_t> values) const = 0;

 protected:
  ImageSet() = default;
  ImageSet(const ImageSet&) = delete;
  ImageSet& operator=(const ImageSet&) = delete;
};

/// Reads every image and every label with `threads` threads. Throws InputError with the first
/// twenty problems, each with its file; EnvironmentError where a file cannot be read. Reads that
/// take longer than the limit, now and later, are not waited for.
std::unique_ptr<ImageSet> open_images(const std::filesystem::path& path, unsigned threads,
                                      ReadLimit limit = {});

}  // namespace oracle
