// Reads what record_form.h describes.

#include <algorithm>
#include <array>

#include "validate/data/images/image_format.h"
#include "validate/data/images/problems.h"
#include "validate/data/images/record_form.h"
#include "validate/data/images/sets/sets.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "write it again with oracle-pack, or fetch it again";
constexpr std::uint64_t kMostChannels = 4096;
constexpr std::uint64_t kMostAlong = kMostPixelsAlong;
constexpr std::uint64_t kMostImages = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 30U;  ///< of one image

class RecordFile : public ImageSet {
 public:
  RecordFile(std::unique_ptr<RandomAccess> file, unsigned threads) : file_(std::move(file)) {
    read_header();
    read_labels();
    check_images(images_, threads, [this](std::int64_t index) {
      std::vector<std::uint8_t> values(shape_.bytes());
      read(index, values);
    });
  }

  std::string text() const override { return "records, " + file_->name(); }
  ImageShape shape() const override { return shape_; }
  std::int64_t classes() const override { return classes_; }
  std::int64_t size() const override { return images_; }
  std::int64_t label(std::int64_t index) const override {
    return static_cast<std::int64_t>(
        number_at(std::span(labels_).subspan(4 * static_cast<std::size_t>(index)), 4));
  }

  void read(std::int64_t index, std::span<std::uint8_t> values) const override {
    const std::uint64_t at =
        kRecordHeader + labels_.size() + static_cast<std::uint64_t>(index) * (shape_.bytes() + 4);
    std::array<std::uint8_t, 4> kept{};
    file_->read(at, values);
    file_->read(at + values.size(), kept);
    if (crc32(values) == number_at(kept, 4)) return;
    throw InputError(file_->name() + ": image " + std::to_string(index),
                     "is damaged: its checksum differs", kRemedy);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw InputError(file_->name(), message, kRemedy);
  }

  std::uint64_t field(std::size_t at, const char* what, std::uint64_t most) const {
    const std::uint64_t value = number_at(std::span(header_).subspan(at), at == 32 ? 8 : 4);
    if (value < 1 || value > most) {
      refuse("has " + std::to_string(value) + " " + what + "; from 1 to " + std::to_string(most) +
             " are read");
    }
    return value;
  }

  void read_header() {
    if (file_->size() < kRecordHeader) refuse("ends within its header");
    file_->read(0, header_);
    if (!std::equal(kRecordMagic.begin(), kRecordMagic.end(), header_.begin())) {
      refuse("is no record file");
    }
    const std::uint64_t version = number_at(std::span(header_).subspan(8), 4);
    if (version != kRecordVersion) {
      refuse("is of version " + std::to_string(version) + ", and " +
             std::to_string(kRecordVersion) + " is read");
    }
    const std::uint64_t channels = field(12, "channels", kMostChannels);
    const std::uint64_t height = field(16, "rows", kMostAlong);
    const std::uint64_t width = field(20, "columns", kMostAlong);
    const std::uint64_t classes = field(24, "classes", kMostImages);
    const std::uint64_t images = field(32, "images", kMostImages);
    if (channels * height * width > kMostValues) refuse("has images of more than 1 GiB");
    const std::uint64_t each = channels * height * width + 8;  // with label and checksum
    const std::uint64_t room = file_->size() - kRecordHeader;
    if (images > room / each || images * each != room) {
      refuse("has " + std::to_string(file_->size()) + " bytes, which are not those of " +
             std::to_string(images) + " images");
    }
    shape_ = {static_cast<std::int64_t>(channels), static_cast<std::int64_t>(height),
              static_cast<std::int64_t>(width)};
    classes_ = static_cast<std::int64_t>(classes);
    images_ = static_cast<std::int64_t>(images);
  }

  void read_labels() {
    labels_.resize(4 * static_cast<std::size_t>(images_));
    file_->read(kRecordHeader, labels_);
    const std::span<const std::uint8_t> header(header_);
    const std::uint32_t own = crc32(header.last(8), crc32(header.first(28)));
    if (crc32(labels_, own) != number_at(header.subspan(28), 4)) {
      refuse("is damaged: the checksum of its header and labels differs");
    }
    ImageProblems problems;
    for (std::int64_t i = 0; i < images_ && !problems.full(); ++i) {
      if (label(i) < classes_) continue;
      problems.add({file_->name() + ": image " + std::to_string(i),
                    "has the label " + std::to_string(label(i)) + ", and there are " +
                        std::to_string(classes_) + " classes",
                    kRemedy});
    }
    problems.raise();
  }

  std::unique_ptr<RandomAccess> file_;
  std::array<std::uint8_t, kRecordHeader> header_{};
  std::vector<std::uint8_t> labels_;  ///< four bytes each
  ImageShape shape_;
  std::int64_t classes_ = 0, images_ = 0;
};

}  // namespace

bool is_record_file(const fs::path& path) {
  if (!fs::is_regular_file(path)) return false;
  const auto file = open_file(path);
  std::array<std::uint8_t, kRecordMagic.size()> begin{};
  if (file->size() < begin.size()) return false;
  file->read(0, begin);
  return std::equal(begin.begin(), begin.end(), kRecordMagic.begin());
}

std::unique_ptr<ImageSet> open_record_file(const fs::path& path, unsigned threads) {
  return read_records(open_file(path), threads);
}

std::unique_ptr<ImageSet> read_records(std::unique_ptr<RandomAccess> file, unsigned threads) {
  return std::make_unique<RecordFile>(std::move(file), threads);
}

}  // namespace oracle
