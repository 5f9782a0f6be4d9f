#pragma once
// What does a safetensors file say of itself?
//
//   8 bytes   length N of the header, little-endian
//   N bytes   JSON: name → {"dtype", "shape", "data_offsets": [begin, end)}, and "__metadata__",
//             texts by name; filled up with spaces, so that data begin at a multiple of 8
//   the rest  the tensors' values, little-endian, row by row; offsets count from here
//                                     github.com/huggingface/safetensors, README, "Format"
// Tensors lie in the order of the header, one right behind the other. Of types this tree writes and
// reads F32 alone.
//
// Worked: one tensor of 2×3 with no metadata: 24 bytes of data behind 8 + 64 of header
//                                               tests/validate/checkpoint/safetensors_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oracle {

struct TensorEntry {
  std::string name;
  std::vector<std::int64_t> shape;

  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * std::int64_t{sizeof(float)}; }
};

struct SafetensorsHeader {
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order written
  std::vector<TensorEntry> tensors;                           ///< in the order of their data

  const std::string* find(std::string_view key) const;
  std::int64_t data_bytes() const;
};

/// A header longer than this is none.
inline constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{16} << 20U;
inline constexpr std::size_t kLengthBytes = 8;

/// The JSON with its spaces; always the same for the same header.
std::string header_text(const SafetensorsHeader& header);
/// Its length, as the file begins with it.
std::string length_bytes(std::size_t header_bytes);
/// Of the first kLengthBytes of a file.
std::uint64_t header_length(std::string_view bytes);

/// Throws InputError with every problem at `name`.
SafetensorsHeader parse_header(std::string_view text, const std::string& name);

}  // namespace oracle
