// Gives libFuzzer's inputs to the target that the running program is named after: fuzz_model →
// model.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/fuzz/targets.h"

namespace {

const oracle::fuzz::Target* chosen = nullptr;

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  const std::string program = *count > 0 ? std::filesystem::path(**words).filename() : "";
  for (const oracle::fuzz::Target& target : oracle::fuzz::kTargets) {
    if (program == "fuzz_" + std::string(target.name)) chosen = &target;
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "%s: is named after no target\n", program.c_str());
    std::exit(3);
  }
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
