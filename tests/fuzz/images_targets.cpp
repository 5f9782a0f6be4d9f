#include <string>
#include <vector>

#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"
#include "validate/data/images/image_format.h"
#include "validate/data/images/sets/sets.h"

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

}  // namespace

void image_file(std::string_view bytes) {
  reads([&] {
    const Image image = decode_image(bytes, "seed.img");
    ensure(image.values.size() == image.shape.bytes() && !image.values.empty(),
           "an image of another size than its shape");
  });
}

void cifar_file(std::string_view bytes) {
  reads([&] {
    Files files;
    files.push_back(in_memory("data_batch_1.bin", std::string(bytes)));
    check_set(*read_cifar10("seed", std::move(files)));
  });
}

void record_file(std::string_view bytes) {
  reads([&] { check_set(*read_records(in_memory("seed.rec", std::string(bytes)), 1)); });
}

}  // namespace oracle::fuzz
