#include "oracle/io/onnx/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "oracle/base/error.h"

namespace oracle::onnx {
namespace {

constexpr std::size_t kWindow = std::size_t{64} << 10U;

}  // namespace

ByteSource::ByteSource(const std::filesystem::path& file)
    : place_(file.string()), stream_(file, std::ios::binary) {
  if (!stream_) throw EnvironmentError(place_ + ": cannot be read: " + std::strerror(errno));
  stream_.seekg(0, std::ios::end);
  const std::streamoff end = stream_.tellg();
  if (end < 0) throw EnvironmentError(place_ + ": reading failed; check the disk");
  size_ = static_cast<std::uint64_t>(end);
}

std::string_view ByteSource::read(std::uint64_t at, std::size_t length) {
  if (at >= size_) return {};
  length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - at));
  if (!stream_.is_open()) return memory_.substr(static_cast<std::size_t>(at), length);
  if (at < window_at_ || at + length > window_at_ + window_.size()) fill(at, length);
  return std::string_view(window_).substr(static_cast<std::size_t>(at - window_at_), length);
}

void ByteSource::fill(std::uint64_t at, std::size_t length) {
  const std::uint64_t wanted = std::min<std::uint64_t>(std::max(length, kWindow), size_ - at);
  window_.resize(static_cast<std::size_t>(wanted));
  window_at_ = at;
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(at));
  stream_.read(window_.data(), static_cast<std::streamsize>(window_.size()));
  if (stream_.gcount() == static_cast<std::streamsize>(window_.size())) return;
  throw EnvironmentError(place_ + ": reading failed; check the disk, or whether the file changes");
}

}  // namespace oracle::onnx
