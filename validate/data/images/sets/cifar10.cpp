// CIFAR-10, binary version (Krizhevsky, www.cs.toronto.edu/~kriz/cifar.html): records of one byte
// for the label and 3x32x32 bytes, channel by channel, row by row.

#include <algorithm>
#include <array>

#include "validate/data/images/problems.h"
#include "validate/data/images/sets/sets.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape kShape = {3, 32, 32};
constexpr std::int64_t kClasses = 10;
constexpr std::uint64_t kRecord = 1 + 3 * 32 * 32;
constexpr const char* kRemedy = "fetch cifar-10-binary.tar.gz again";

bool is_batch(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("data_batch_") && name.ends_with(".bin");
}

/// The folder's batches in the order of their names; the file alone where it is one.
std::vector<fs::path> batches_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (is_batch(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Cifar10 : public ImageSet {
 public:
  Cifar10(std::string text, Files files) : text_(std::move(text)), files_(std::move(files)) {
    ImageProblems problems;
    for (const auto& file : files_) {
      if (file->size() == 0 || file->size() % kRecord != 0) {
        problems.add({file->name(),
                      "has " + std::to_string(file->size()) +
                          " bytes, which are no whole records of " + std::to_string(kRecord),
                      kRemedy});
      } else {
        read_labels(*file, problems);
      }
      first_.push_back(size());
    }
    problems.raise();
  }

  std::string text() const override { return text_; }
  ImageShape shape() const override { return kShape; }
  std::int64_t classes() const override { return kClasses; }
  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }

  void read(std::int64_t index, std::span<std::uint8_t> values) const override {
    const auto next = std::upper_bound(first_.begin(), first_.end(), index);
    const auto file = static_cast<std::size_t>(next - first_.begin());
    const std::int64_t record = index - (file == 0 ? 0 : first_[file - 1]);
    files_[file]->read(static_cast<std::uint64_t>(record) * kRecord + 1, values);
  }

 private:
  void read_labels(const RandomAccess& file, ImageProblems& problems) {
    std::array<std::uint8_t, kRecord> record{};
    for (std::uint64_t i = 0; i < file.size() / kRecord && !problems.full(); ++i) {
      file.read(i * kRecord, record);
      labels_.push_back(record.front());
      if (record.front() < kClasses) continue;
      problems.add({file.name() + ": record " + std::to_string(i),
                    "has the label " + std::to_string(record.front()) + ", and CIFAR-10 has 0 to 9",
                    kRemedy});
    }
  }

  std::string text_;
  Files files_;
  std::vector<std::int64_t> first_;  ///< image behind each file's last
  std::vector<std::uint8_t> labels_;
};

}  // namespace

bool is_cifar10(const fs::path& path) {
  return fs::is_directory(path) ? !batches_of(path).empty() : is_batch(path);
}

std::unique_ptr<ImageSet> open_cifar10(const fs::path& path, unsigned /*threads*/) {
  Files files;
  for (const fs::path& file : batches_of(path)) files.push_back(open_file(file));
  return read_cifar10("CIFAR-10, " + path.string(), std::move(files));
}

std::unique_ptr<ImageSet> read_cifar10(std::string text, Files files) {
  return std::make_unique<Cifar10>(std::move(text), std::move(files));
}

}  // namespace oracle
