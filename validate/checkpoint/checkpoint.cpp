#include "validate/checkpoint/checkpoint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <unistd.h>

#include "microbench/storage/descriptor.h"
#include "oracle/base/error.h"
#include "oracle/base/hash.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/whole_file.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little && sizeof(float) == 4);

constexpr std::string_view kFormat = "oracle/checkpoint/1";
constexpr std::string_view kBeforeChecksum = R"({"__metadata__":{"checksum":")";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kBuffer = std::size_t{1} << 20U;
constexpr double kLargestScale = 0x1p24;

/// A power of two is written exactly.
std::string text_of(double value) { return std::to_string(static_cast<std::int64_t>(value)); }

SafetensorsHeader header_of(const Checkpoint& checkpoint) {
  const CheckpointHead& head = checkpoint.head;
  SafetensorsHeader header;
  header.metadata = {{"checksum", std::string(kDigits, '0')},
                     {"schema", std::string(kFormat)},
                     {"network", head.network},
                     {"optimizer", head.optimizer},
                     {"precision", head.precision},
                     {"data", head.data},
                     {"seed", std::to_string(head.seed)},
                     {"batch", std::to_string(head.batch)},
                     {"step", std::to_string(head.step)},
                     {"updates", std::to_string(head.updates)},
                     {"loss_scale", text_of(head.loss_scale)},
                     {"good_steps", std::to_string(head.good_steps)}};
  for (const StateTensor& tensor : checkpoint.tensors) header.tensors.push_back(tensor.entry);
  return header;
}

std::string_view bytes_of(const StateTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.values.data()),
          tensor.values.size() * sizeof(float)};
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw InputError(path.string(), why, "take another checkpoint");
}

/// The file from `offset` on, piece by piece. Throws InputError where it ends before.
template <typename Take>
void read_all(const Descriptor& file, const fs::path& path, std::int64_t offset, std::int64_t bytes,
              Take take) {
  std::vector<char> buffer(kBuffer);
  while (bytes > 0) {
    const auto wanted = static_cast<std::size_t>(
        std::min<std::int64_t>(bytes, static_cast<std::int64_t>(buffer.size())));
    const ssize_t got = pread(file.number(), buffer.data(), wanted, offset);
    if (got < 0) fail_on(path, "cannot be read");
    if (got == 0) refuse(path, "is cut short");
    take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    offset += got;
    bytes -= got;
  }
}

std::string text_at(const Descriptor& file, const fs::path& path, std::int64_t offset,
                    std::int64_t bytes) {
  std::string text;
  read_all(file, path, offset, bytes, [&](std::string_view piece) { text += piece; });
  return text;
}

/// What the metadata say, with every problem at once.
class HeadReader {
 public:
  HeadReader(const SafetensorsHeader& header, std::string name)
      : header_(header), name_(std::move(name)) {}

  std::string text(std::string_view key) {
    const std::string* found = header_.find(key);
    if (found == nullptr) add(key, "is missing");
    return found == nullptr ? std::string() : *found;
  }
  std::int64_t count(std::string_view key, std::int64_t least, std::int64_t most) {
    const std::string digits = text(key);
    if (digits.empty()) return least;
    try {
      return parse_count(digits, least, most);
    } catch (const std::exception& error) {
      add(key, error.what());
      return least;
    }
  }
  void add(std::string_view key, std::string message) {
    problems_.push_back(
        {name_ + ": metadata \"" + std::string(key) + "\"", std::move(message), {}});
  }
  void raise() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  const SafetensorsHeader& header_;
  std::string name_;
  std::vector<Problem> problems_;
};

CheckpointHead head_of(const SafetensorsHeader& header, const std::string& name) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  HeadReader reader(header, name);
  if (reader.text("schema") != kFormat) {
    reader.add("schema", "is not " + std::string(kFormat));
  }
  CheckpointHead head;
  head.network = reader.text("network");
  head.optimizer = reader.text("optimizer");
  head.precision = reader.text("precision");
  head.data = reader.text("data");
  head.seed = static_cast<std::uint64_t>(reader.count("seed", 0, kMost));
  head.batch = reader.count("batch", 1, kMost);
  head.step = reader.count("step", 1, kMost);
  head.updates = reader.count("updates", 0, kMost);
  head.loss_scale =
      static_cast<double>(reader.count("loss_scale", 1, static_cast<std::int64_t>(kLargestScale)));
  head.good_steps = reader.count("good_steps", 0, kMost);
  reader.raise();
  return head;
}

}  // namespace

std::int64_t Checkpoint::bytes() const {
  std::int64_t sum = 0;
  for (const StateTensor& tensor : tensors) sum += tensor.entry.bytes();
  return sum;
}

void write_checkpoint(const fs::path& file, const Checkpoint& checkpoint) {
  std::string text = header_text(header_of(checkpoint));
  ensure(text.starts_with(kBeforeChecksum), "the checksum comes first");
  Fnv1a checksum;
  checksum.add(text);
  for (const StateTensor& tensor : checkpoint.tensors) {
    ensure(tensor.entry.elements() == static_cast<std::int64_t>(tensor.values.size()),
           "a tensor has as many values as its shape says");
    checksum.add(bytes_of(tensor));
  }
  text.replace(kBeforeChecksum.size(), kDigits, checksum.digits());
  write_file(file, [&](const Sink& write) {
    write(length_bytes(text.size()));
    write(text);
    for (const StateTensor& tensor : checkpoint.tensors) write(bytes_of(tensor));
  });
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Descriptor names(folder, O_RDONLY | O_DIRECTORY);
  if (fsync(names.number()) != 0) fail_on(folder, "cannot be forced to the medium");
}

CheckpointFile::CheckpointFile(const fs::path& file) : path_(file) {
  const Descriptor open(file, O_RDONLY);
  const std::string name = file.string();
  const std::uint64_t length = header_length(text_at(open, file, 0, kLengthBytes));
  if (length > kMostHeaderBytes) refuse(file, "does not begin with the length of a header");
  const auto header_bytes = static_cast<std::int64_t>(length);
  std::string text = text_at(open, file, kLengthBytes, header_bytes);
  if (!text.starts_with(kBeforeChecksum) || text.size() < kBeforeChecksum.size() + kDigits) {
    refuse(file, "has no checksum: oracle-train did not write it");
  }
  const std::string expected = text.substr(kBeforeChecksum.size(), kDigits);
  text.replace(kBeforeChecksum.size(), kDigits, kDigits, '0');
  header_ = parse_header(text, name);
  const std::int64_t begin = static_cast<std::int64_t>(kLengthBytes) + header_bytes;
  const std::int64_t data = header_.data_bytes();
  Fnv1a checksum;
  checksum.add(text);
  read_all(open, file, begin, data, [&](std::string_view piece) { checksum.add(piece); });
  char beyond = 0;
  if (pread(open.number(), &beyond, 1, begin + data) != 0) refuse(file, "is longer than it says");
  if (checksum.digits() != expected) {
    refuse(file, "was changed since it was written: its checksum is another");
  }
  head_ = head_of(header_, name);
  std::int64_t offset = begin;
  for (std::size_t i = 0; i < header_.tensors.size(); ++i) {
    places_.emplace(header_.tensors[i].name, std::pair(i, offset));
    offset += header_.tensors[i].bytes();
  }
}

const TensorEntry* CheckpointFile::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &header_.tensors[found->second.first];
}

std::vector<float> CheckpointFile::read(std::string_view name) const {
  const auto found = places_.find(name);
  ensure(found != places_.end(), "CheckpointFile::read: a tensor that it has");
  const TensorEntry& entry = header_.tensors[found->second.first];
  std::vector<float> values(static_cast<std::size_t>(entry.elements()));
  const Descriptor open(path_, O_RDONLY);
  char* to = reinterpret_cast<char*>(values.data());
  read_all(open, path_, found->second.second, entry.bytes(),
           [&](std::string_view piece) { to = std::copy(piece.begin(), piece.end(), to); });
  return values;
}

}  // namespace oracle
