#include "validate/data/images/record_form.h"

#include <algorithm>

#include "oracle/base/whole_file.h"

namespace oracle {
namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320;  ///< of CRC-32, bits reversed
constexpr std::size_t kTables = 4;

/// Table t: what a byte does to the checksum, t bytes later.
constexpr auto kCrcTables = [] {
  std::array<std::array<std::uint32_t, 256>, kTables> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1U ^ ((rest & 1U) != 0 ? kPolynomial : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t t = 1; t < kTables; ++t) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[t - 1][byte];
      tables[t][byte] = before >> 8U ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}();

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::uint8_t> label_bytes(const ImageSet& set) {
  std::vector<std::uint8_t> bytes(4 * static_cast<std::size_t>(set.size()));
  for (std::int64_t i = 0; i < set.size(); ++i) {
    put(std::span(bytes).subspan(4 * static_cast<std::size_t>(i)),
        static_cast<std::uint64_t>(set.label(i)), 4);
  }
  return bytes;
}

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  for (; bytes.size() >= kTables; bytes = bytes.subspan(kTables)) {
    rest ^= static_cast<std::uint32_t>(number_at(bytes, kTables));
    rest = kCrcTables[3][rest & 0xffU] ^ kCrcTables[2][rest >> 8U & 0xffU] ^
           kCrcTables[1][rest >> 16U & 0xffU] ^ kCrcTables[0][rest >> 24U];
  }
  for (const std::uint8_t byte : bytes) rest = rest >> 8U ^ kCrcTables[0][(rest ^ byte) & 0xffU];
  return ~rest;
}

void put(std::span<std::uint8_t> to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    to[i] = static_cast<std::uint8_t>(value >> (8 * i) & 0xffU);
  }
}

std::uint64_t number_at(std::span<const std::uint8_t> from, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8U | from[i];
  return value;
}

std::array<std::uint8_t, kRecordHeader> record_header(const ImageShape& shape, std::int64_t classes,
                                                      std::int64_t images) {
  std::array<std::uint8_t, kRecordHeader> header{};
  std::copy(kRecordMagic.begin(), kRecordMagic.end(), header.begin());
  const std::span<std::uint8_t> all(header);
  put(all.subspan(8), kRecordVersion, 4);
  put(all.subspan(12), static_cast<std::uint64_t>(shape.channels), 4);
  put(all.subspan(16), static_cast<std::uint64_t>(shape.height), 4);
  put(all.subspan(20), static_cast<std::uint64_t>(shape.width), 4);
  put(all.subspan(24), static_cast<std::uint64_t>(classes), 4);
  put(all.subspan(32), static_cast<std::uint64_t>(images), 8);
  return header;
}

void write_records(const ImageSet& set, const std::filesystem::path& file) {
  auto header = record_header(set.shape(), set.classes(), set.size());
  const std::vector<std::uint8_t> labels = label_bytes(set);
  const std::span<std::uint8_t> all(header);
  const std::uint32_t own = crc32(all.last(8), crc32(all.first(28)));
  put(all.subspan(28), crc32(labels, own), 4);
  write_file(file, [&](const Sink& write) {
    write(text_of(header));
    write(text_of(labels));
    std::vector<std::uint8_t> record(set.shape().bytes() + 4);
    const std::span<std::uint8_t> values = std::span(record).first(set.shape().bytes());
    for (std::int64_t i = 0; i < set.size(); ++i) {
      set.read(i, values);
      put(std::span(record).last(4), crc32(values), 4);
      write(text_of(record));
    }
  });
}

}  // namespace oracle
