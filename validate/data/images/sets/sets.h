#pragma once
// One declaration per file of this folder; table.cpp lists them.
//                                                tests/validate/data/images/image_set_test.cpp

#include "validate/data/images/image_set.h"
#include "validate/data/images/random_access.h"

namespace oracle {

using Files = std::vector<std::unique_ptr<RandomAccess>>;

bool is_cifar10(const std::filesystem::path& path);
std::unique_ptr<ImageSet> open_cifar10(const std::filesystem::path& path, unsigned threads);
/// The same of files that are open.
std::unique_ptr<ImageSet> read_cifar10(std::string text, Files files);

bool is_image_folder(const std::filesystem::path& path);
std::unique_ptr<ImageSet> open_image_folder(const std::filesystem::path& path, unsigned threads);

bool is_record_file(const std::filesystem::path& path);
std::unique_ptr<ImageSet> open_record_file(const std::filesystem::path& path, unsigned threads);
/// The same of a file that is open.
std::unique_ptr<ImageSet> read_records(std::unique_ptr<RandomAccess> file, unsigned threads);

}  // namespace oracle
