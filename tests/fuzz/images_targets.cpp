#include <string>
#include <vector>

#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"
#include "validate/data/images/image_set.h"

namespace oracle::fuzz {
namespace {

/// Every image of a set that was read can be read again, and its label is a class.
void check_set(const ImageSet& set) {
  ensure(set.size() > 0 && set.classes() > 0, "a set of nothing");
  std::vector<std::uint8_t> values(set.shape().bytes());
  for (std::int64_t i = 0; i < set.size(); ++i) {
    ensure(set.label(i) >= 0 && set.label(i) < set.classes(), "a label that is no class");
    set.read(i, values);
  }
}

/// The same with every header's checksum right, so that changed ones are looked at as well.
std::string with_checksums(std::string_view bytes) {
  std::string tar(bytes);
  for (std::size_t at = 0; at + 512 <= tar.size(); at += 512) {
    if (tar.compare(at + 257, 5, "ustar") != 0) continue;
    tar.replace(at + 148, 8, 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = at; i < at + 512; ++i) sum += static_cast<std::uint8_t>(tar[i]);
    for (std::size_t i = at + 154; i-- > at + 148; sum /= 8)
      tar[i] = static_cast<char>('0' + sum % 8);
  }
  return tar;
}

}  // namespace

void image_file(std::string_view bytes) {
  reads([&] {
    const Image image = decode_image(bytes, "seed.img");
    ensure(image.values.size() == image.shape.bytes() && !image.values.empty(),
           "an image of another size than its shape");
  });
}

void tar_file(std::string_view bytes) {
  for (const std::string& tar : {std::string(bytes), with_checksums(bytes)}) {
    const MemoryFile file(tar);
    reads([&] { check_set(*open_images(file.path(), 1, {.seconds = 0})); });
  }
}

}  // namespace oracle::fuzz
