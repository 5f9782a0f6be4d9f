#pragma once
// Where do the bytes of a model lie, and how are some of them read without the rest?
//
// Worked: of a file of 2 GB, 64 KiB are held at a time     tests/io/onnx/byte_source_test.cpp

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace oracle::onnx {

/// Bytes that can be read in pieces, in memory or in a file.
class ByteSource {
 public:
  /// Of memory, which must outlive it.
  explicit ByteSource(std::string_view bytes) : memory_(bytes), size_(bytes.size()) {}
  /// Of a regular file. Throws EnvironmentError where it cannot be opened.
  explicit ByteSource(const std::filesystem::path& file);

  std::uint64_t size() const { return size_; }
  /// Up to `length` bytes from `at` on, fewer at the end; valid until the next call. Throws
  /// EnvironmentError where the file cannot be read.
  std::string_view read(std::uint64_t at, std::size_t length);

 private:
  void fill(std::uint64_t at, std::size_t length);

  std::string_view memory_;
  std::uint64_t size_ = 0;
  std::string place_;
  std::ifstream stream_;
  std::string window_;
  std::uint64_t window_at_ = 0;
};

}  // namespace oracle::onnx
