#include <array>

#include "oracle/base/error.h"
#include "validate/data/images/sets/sets.h"

namespace oracle {
namespace {

struct SetFormat {
  bool (*is)(const std::filesystem::path& path);
  std::unique_ptr<ImageSet> (*open)(const std::filesystem::path& path, unsigned threads);
};
constexpr std::array<SetFormat, 3> kSets = {{{is_record_file, open_record_file},
                                             {is_cifar10, open_cifar10},
                                             {is_image_folder, open_image_folder}}};

}  // namespace

std::unique_ptr<ImageSet> open_images(const std::filesystem::path& path, unsigned threads) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw InputError(path.string(), "is not there",
                     "give the folder of CIFAR-10's data_batch_*.bin, a folder of class folders, "
                     "or a record file");
  }
  for (const SetFormat& format : kSets) {
    if (format.is(path)) return format.open(path, threads);
  }
  throw InputError(path.string(),
                   std::filesystem::is_directory(path, error)
                       ? "holds neither CIFAR-10's data_batch_*.bin nor class folders"
                       : "is neither a record file nor CIFAR-10's data_batch_N.bin",
                   "put each class's images into a folder of its own below it, or give a file that "
                   "oracle-pack wrote");
}

}  // namespace oracle
