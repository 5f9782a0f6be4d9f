#pragma once
// Where do the bytes of a set of images come from?
//
// A file is read at the offsets that are asked for, by any number of threads at a time; the fuzz
// targets put bytes of their own in its place.   tests/validate/data/images/random_access_test.cpp

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace oracle {

class RandomAccess {
 public:
  virtual ~RandomAccess() = default;
  virtual const std::string& name() const = 0;  ///< as problems call it
  virtual std::uint64_t size() const = 0;
  /// Fills `to` from `offset` on. Throws EnvironmentError where that many bytes cannot be read.
  virtual void read(std::uint64_t offset, std::span<std::uint8_t> to) const = 0;

 protected:
  RandomAccess() = default;
  RandomAccess(const RandomAccess&) = delete;
  RandomAccess& operator=(const RandomAccess&) = delete;
};

/// Throws EnvironmentError where the file cannot be opened.
std::unique_ptr<RandomAccess> open_file(const std::filesystem::path& file);

std::unique_ptr<RandomAccess> in_memory(std::string name, std::string bytes);

}  // namespace oracle
