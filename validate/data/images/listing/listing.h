#pragma once
// Where does each image of a set lie, and of which class is it?
//                                                tests/validate/data/images/image_set_test.cpp

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "validate/data/images/read_watch.h"
#include "validate/data/images/tar.h"

namespace oracle {

/// A file, or a member of a tar.
struct StoredImage {
  std::string name;
  std::int64_t label = 0;
  std::shared_ptr<const TarFile> tar{};
  std::uint64_t offset = 0, bytes = 0;  ///< in the tar
};

struct Listing {
  std::vector<StoredImage> images;
  std::int64_t classes = 0;
};

/// What a folder holds, by name; names that begin with a dot are passed over.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, bool folders);

/// Classes and images in the order of their names. Throws InputError where a class has no image.
Listing list_class_folders(const std::vector<std::filesystem::path>& folders, ReadWatch& watch);

/// Samples in the order in which the tars name them first; there are as many classes as the
/// largest label demands. Throws InputError where a sample lacks its image or class, or has two.
Listing list_tars(const std::vector<std::filesystem::path>& tars, ReadWatch& watch);

}  // namespace oracle
