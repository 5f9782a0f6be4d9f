#include "microbench/storage/writing.h"

#include <algorithm>
#include <fcntl.h>
#include <random>
#include <string>
#include <unistd.h>

#include "microbench/storage/descriptor.h"
#include "microbench/timing/clocks.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{4} << 20U;
constexpr unsigned kMode = 0600;

std::vector<std::uint64_t> random_words() {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> words(kBuffer / sizeof(std::uint64_t));
  for (std::uint64_t& word : words) word = random();
  return words;
}

/// Removed with its owner, under whichever name it has.
struct Removed {
  fs::path first, last;
  ~Removed() {
    std::error_code ignored;
    fs::remove(first, ignored);
    fs::remove(last, ignored);
  }
};

void write_all(const Descriptor& file, const fs::path& path, std::uint64_t bytes) {
  static const std::vector<std::uint64_t> kWords = random_words();
  while (bytes > 0) {
    const ssize_t wrote =
        write(file.number(), kWords.data(), std::min<std::uint64_t>(bytes, kBuffer));
    if (wrote < 0) fail_on(path, "cannot be written");
    bytes -= static_cast<std::uint64_t>(wrote);
  }
}

void force(const Descriptor& file, const fs::path& path) {
  if (fsync(file.number()) != 0) fail_on(path, "cannot be forced to the medium");
}

}  // namespace

double write_and_sync(const fs::path& folder, std::uint64_t bytes) {
  const std::string name = ".oracle-checkpoint-" + std::to_string(getpid());
  const Removed files{folder / (name + ".part"), folder / name};
  const double start = now(Clock::wall);
  {
    const Descriptor file(files.first, O_WRONLY | O_CREAT | O_TRUNC, kMode);
    write_all(file, files.first, bytes);
    force(file, files.first);
  }
  if (rename(files.first.c_str(), files.last.c_str()) != 0) {
    fail_on(files.first, "cannot be renamed");
  }
  force(Descriptor(folder, O_RDONLY | O_DIRECTORY), folder);
  return now(Clock::wall) - start;
}

std::vector<WriteTimes> measure_writing(const fs::path& folder, std::uint64_t largest,
                                        const StopRule& rule) {
  std::vector<WriteTimes> all;
  for (const std::uint64_t part : {16U, 4U, 1U}) {
    WriteTimes& times = all.emplace_back();
    times.bytes = std::max<std::uint64_t>(largest / part, 1);
    while (!times.series.done(rule)) times.series.add(write_and_sync(folder, times.bytes));
  }
  return all;
}

}  // namespace oracle
