#include <algorithm>

#include "validate/data/images/listing/listing.h"
#include "validate/data/images/problems.h"

namespace oracle {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& folder, bool folders) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (!hidden && entry.is_directory() == folders) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Listing list_class_folders(const std::vector<fs::path>& folders, ReadWatch& watch) {
  Listing listing;
  std::vector<Problem> problems;
  for (const fs::path& folder : folders) {
    const auto reading = watch.reading(folder.string());
    const std::vector<fs::path> files = entries_of(folder, false);
    if (files.empty()) {
      problems.push_back(
          {folder.string(), "is a class without images", "take it away, or fill it"});
    }
    for (const fs::path& file : files) listing.images.push_back({file.string(), listing.classes});
    ++listing.classes;
  }
  raise_first(std::move(problems));
  return listing;
}

}  // namespace oracle
