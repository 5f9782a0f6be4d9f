#pragma once
// What does a record file look like?
//
// Numbers are little-endian. One file holds images of one shape:
//
//   offset       bytes      what
//   0            8          "oracrec\n"
//   8            4          version: 1
//   12           4 · 3      channels, height, width
//   24           4          classes
//   28           4          CRC-32 of bytes 0 to 27, 32 to 39, and the labels
//   32           8          images n
//   40           4 · n      label of each image, below the number of classes
//   40 + 4n      (S + 4)·n  the images: S = channels · height · width bytes as Image::values has
//                           them, and their CRC-32
//
// CRC-32 is that of IEEE 802.3 (zlib's); nothing follows the last image.
//
// Worked: 2 images of 1x2x3 → 40 + 8 + 2·(6 + 4) = 68 bytes
//                                              tests/validate/data/images/record_file_test.cpp

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "validate/data/images/image_set.h"

namespace oracle {

inline constexpr std::string_view kRecordMagic = "oracrec\n";
inline constexpr std::uint32_t kRecordVersion = 1;
inline constexpr std::size_t kRecordHeader = 40;

/// Over `bytes`, going on from the checksum of what stands before them.
std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

/// The header's bytes; the checksum's place is 0.
std::array<std::uint8_t, kRecordHeader> record_header(const ImageShape& shape, std::int64_t classes,
                                                      std::int64_t images);

/// A number of `bytes` bytes, the least significant first.
void put(std::span<std::uint8_t> to, std::uint64_t value, std::size_t bytes);
std::uint64_t number_at(std::span<const std::uint8_t> from, std::size_t bytes);

/// Writes the set to `file`, whole or not at all. Throws EnvironmentError.
void write_records(const ImageSet& set, const std::filesystem::path& file);

}  // namespace oracle
