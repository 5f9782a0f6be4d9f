#pragma once
// Whole files as text, to be cut and changed.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace oracle {

inline std::string bytes_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void put_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace oracle
