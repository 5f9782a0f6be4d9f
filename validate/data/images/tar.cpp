#include "validate/data/images/tar.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"

namespace oracle {
namespace {

constexpr std::uint64_t kBlock = 512;
constexpr std::uint64_t kMostHeader = std::uint64_t{1} << 20U;  ///< of a long name, or pax records
constexpr std::string_view kWithoutBytes = "123456";  ///< types of links, devices, folders

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw EnvironmentError(name + ": cannot be read: " + reason);
}

/// Up to the first zero.
std::string_view text_in(std::string_view field) { return field.substr(0, field.find('\0')); }

/// Octal digits between blanks, or after a byte of 128 big-endian bytes; nothing for what is
/// neither.
std::optional<std::uint64_t> number_in(std::string_view field) {
  std::uint64_t value = 0;
  if (field.front() == '\x80') {
    for (const char c : field.substr(1)) {
      if (value >> 55U != 0) return std::nullopt;
      value = value << 8U | static_cast<std::uint8_t>(c);
    }
    return value;
  }
  field = text_in(field);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  const char* const end = field.data() + field.size();
  const auto [rest, error] = std::from_chars(field.data(), end, value, 8);
  if (error != std::errc{} || std::any_of(rest, end, [](char c) { return c != ' '; })) {
    return std::nullopt;
  }
  return value;
}

/// Whether the sum of the header's bytes, its own place taken as blanks, is what it says.
bool is_header(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<std::uint8_t>(block[i]);
  }
  return number_in(block.substr(148, 8)) == sum;
}

std::string name_in(std::string_view block) {
  const std::string name(text_in(block.substr(0, 100)));
  const std::string prefix(text_in(block.substr(345, 155)));
  const bool posix = block.substr(257, 6) == std::string_view("ustar\0", 6);
  return posix && !prefix.empty() ? prefix + "/" + name : name;
}

/// What a header says of the member behind it instead of that member's own.
struct Said {
  std::optional<std::string> name;
  std::optional<std::uint64_t> bytes;
};

/// Records "LENGTH KEY=VALUE\n", of LENGTH bytes each. False where they are not.
bool read_pax(std::string_view records, Said& said) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [rest, error] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(rest - records.data());
    if (error != std::errc{} || length > records.size() || length < digits + 2) return false;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const std::size_t equals = record.find('=');
    if (equals == record.npos) return false;
    if (records[digits] != ' ' || records[length - 1] != '\n') return false;
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") said.name = value;
    if (key == "size") {
      const char* const end = value.data() + value.size();
      if (std::from_chars(value.data(), end, said.bytes.emplace()).ptr != end) return false;
    }
    records.remove_prefix(length);
  }
  return true;
}

}  // namespace

TarFile::TarFile(const std::filesystem::path& file, ReadWatch& watch)
    : name_(file.string()), watch_(watch) {
  const auto reading = watch_.reading(name_);
  descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(name_, std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    fail(name_, "it is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

TarFile::~TarFile() { ::close(descriptor_); }

std::string TarFile::read(std::uint64_t offset, std::uint64_t bytes) const {
  const auto reading = watch_.reading(name_);
  std::string text(bytes, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got = ::pread(descriptor_, text.data() + done, text.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, std::strerror(errno));
    if (got == 0) fail(name_, "it has become shorter");
    done += static_cast<std::size_t>(got);
  }
  return text;
}

std::vector<TarMember> TarFile::members() const {
  std::vector<TarMember> found;
  Said said;
  std::uint64_t at = 0;
  const auto require = [&](bool holds, const std::string& message) {
    if (!holds) throw InputError(name_, message, "write it again with tar, or fetch it again");
  };
  while (true) {
    const std::string block = read(at, at < size_ ? std::min(size_ - at, kBlock) : 0);
    require(at > 0 || !block.starts_with("\x1f\x8b"), "is compressed, and a tar is read as it is");
    const bool is_whole = block.size() == kBlock;
    require(at == 0 || is_whole, "ends without a tar's last blocks: it is truncated");
    if (is_whole && block.find_first_not_of('\0') == block.npos) return found;
    require(
        is_whole && is_header(block),
        at == 0 ? "is not a tar archive" : "is damaged: no header at byte " + std::to_string(at));
    const char type = block[156];
    const std::string name = said.name.value_or(name_in(block));
    std::optional<std::uint64_t> size =
        said.bytes ? said.bytes : number_in(std::string_view(block).substr(124, 12));
    if (kWithoutBytes.find(type) != kWithoutBytes.npos) size = 0;
    at += kBlock;
    require(size && *size <= size_ - at, "ends within " + in_quotes(name));
    if (type == 'x' || type == 'L') {
      require(*size <= kMostHeader, "is damaged: a header of " + std::to_string(*size) + " bytes");
      const std::string bytes = read(at, *size);
      if (type == 'L') said.name = text_in(bytes);
      require(type == 'L' || read_pax(bytes, said), "is damaged: a pax header is not one");
    } else {
      if (type == '0' || type == '\0' || type == '7') found.push_back({name, at, *size});
      if (type != 'g' && type != 'K') said = {};
    }
    at += (*size + kBlock - 1) / kBlock * kBlock;
  }
}

}  // namespace oracle
