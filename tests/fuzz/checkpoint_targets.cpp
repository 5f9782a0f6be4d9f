#include <string>

#include "oracle/base/hash.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"
#include "validate/checkpoint/checkpoint.h"

namespace oracle::fuzz {
namespace {

constexpr std::size_t kDigits = 16;
constexpr std::string_view kBefore = R"({"__metadata__":{"checksum":")";

/// The same with its checksum right, so that changed ones are looked at as well.
std::string with_checksum(std::string_view bytes) {
  std::string text(bytes);
  const std::size_t at = kLengthBytes + kBefore.size();
  if (text.size() < at + kDigits || text.compare(kLengthBytes, kBefore.size(), kBefore) != 0) {
    return text;
  }
  text.replace(at, kDigits, kDigits, '0');
  Fnv1a checksum;
  checksum.add(std::string_view(text).substr(kLengthBytes));
  return text.replace(at, kDigits, checksum.digits());
}

}  // namespace

/// What is whole has the values that its header says, and a step that was done.
void checkpoint_file(std::string_view bytes) {
  for (const std::string& text : {std::string(bytes), with_checksum(bytes)}) {
    const MemoryFile file(text);
    reads([&] {
      const CheckpointFile checkpoint(file.path());
      ensure(checkpoint.head().step >= 1 && checkpoint.head().batch >= 1, "a step of nothing");
      for (const TensorEntry& tensor : checkpoint.tensors()) {
        ensure(static_cast<std::int64_t>(checkpoint.read(tensor.name).size()) == tensor.elements(),
               "a tensor of another size than its shape");
      }
    });
  }
}

}  // namespace oracle::fuzz
