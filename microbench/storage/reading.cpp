#include "microbench/storage/reading.h"

#include <algorithm>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <random>
#include <unistd.h>

#include "microbench/storage/descriptor.h"
#include "microbench/timing/clocks.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
constexpr std::size_t kGroup = 16;

/// Reads pieces; the file that was read last stays open.
class Reader {
 public:
  Reader(std::span<const StoredFile> files, std::uint64_t longest)
      : files_(files), buffer_(static_cast<std::size_t>(longest)) {}

  void read(const ReadPiece& piece) {
    if (!open_ || at_ != piece.file) {
      open_.emplace(files_[piece.file].path, O_RDONLY);
      at_ = piece.file;
    }
    std::uint64_t done = 0;
    while (done < piece.bytes) {
      const ssize_t got = pread(open_->number(), buffer_.data(), piece.bytes - done,
                                static_cast<off_t>(piece.offset + done));
      if (got < 0) fail_on(files_[at_].path, "cannot be read");
      if (got == 0) throw EnvironmentError(files_[at_].path.string() + ": is shorter than it was");
      done += static_cast<std::uint64_t>(got);
    }
  }

 private:
  std::span<const StoredFile> files_;
  std::vector<char> buffer_;
  std::optional<Descriptor> open_;
  std::size_t at_ = 0;
};

std::uint64_t bytes_of(std::span<const ReadPiece> pieces) {
  std::uint64_t sum = 0;
  for (const ReadPiece& piece : pieces) sum += piece.bytes;
  return sum;
}

/// As many pieces from the begin as `most_bytes`, at least one.
void keep(std::vector<ReadPiece>& pieces, std::uint64_t most_bytes) {
  std::uint64_t sum = 0;
  std::size_t kept = 0;
  while (kept < pieces.size() && (kept == 0 || sum + pieces[kept].bytes <= most_bytes)) {
    sum += pieces[kept++].bytes;
  }
  pieces.resize(kept);
}

double drop_all(std::span<const StoredFile> files) {
  double there = 0, all = 0;
  for (const StoredFile& file : files) drop_from_memory(file);
  for (const StoredFile& file : files) {
    there += share_in_memory(file) * static_cast<double>(file.bytes);
    all += static_cast<double>(file.bytes);
  }
  return there / all;
}

/// One pass, group by group: seconds for `unit` bytes at the group's rate. A last group that is
/// shorter counts where it is the only one.
void read_once(std::span<const StoredFile> files, std::span<const ReadPiece> pieces,
               std::uint64_t unit, const std::function<bool()>& done, Series& series) {
  Reader reader(
      files,
      std::max_element(pieces.begin(), pieces.end(), [](const ReadPiece& a, const ReadPiece& b) {
        return a.bytes < b.bytes;
      })->bytes);
  for (std::size_t begin = 0; begin < pieces.size() && !done(); begin += kGroup) {
    const auto group = pieces.subspan(begin, std::min(kGroup, pieces.size() - begin));
    if (group.size() < kGroup && begin > 0) break;
    const double start = now(Clock::wall);
    for (const ReadPiece& piece : group) reader.read(piece);
    const double rate = static_cast<double>(bytes_of(group)) / (now(Clock::wall) - start);
    series.add(static_cast<double>(unit) / rate);
  }
}

/// The files that pieces are of.
std::vector<StoredFile> touched(std::span<const StoredFile> files,
                                std::span<const ReadPiece> pieces) {
  std::vector<char> is_touched(files.size(), 0);
  for (const ReadPiece& piece : pieces) is_touched[piece.file] = 1;
  std::vector<StoredFile> some;
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (is_touched[f] != 0) some.push_back(files[f]);
  }
  return some;
}

void read_until_done(std::span<const StoredFile> files, std::span<const ReadPiece> pieces,
                     const StopRule& rule, ReadTimes& times) {
  const std::vector<StoredFile> read = touched(files, pieces);
  const double start = now(Clock::wall);
  const auto done = [&] { return times.series.done(rule, now(Clock::wall) - start); };
  while (!done()) {
    times.in_memory = std::max(times.in_memory, drop_all(read));
    read_once(files, pieces, times.bytes, done, times.series);
  }
}

}  // namespace

std::vector<ReadPiece> pieces_of(std::span<const StoredFile> files, std::uint64_t piece) {
  std::vector<ReadPiece> pieces;
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (std::uint64_t at = 0; at < files[f].bytes; at += piece) {
      pieces.push_back({f, at, std::min(piece, files[f].bytes - at)});
    }
  }
  return pieces;
}

std::vector<ReadPiece> shuffled(std::vector<ReadPiece> pieces, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = pieces.size(); i > 1; --i) {
    std::swap(pieces[i - 1], pieces[static_cast<std::size_t>(random() % i)]);
  }
  return pieces;
}

ReadTimes read_in_order(std::span<const StoredFile> files, const StopRule& rule,
                        std::uint64_t most_bytes) {
  std::vector<ReadPiece> pieces = pieces_of(files, kPiece);
  keep(pieces, most_bytes);
  ReadTimes times{"read_sequential",
                  bytes_of(std::span(pieces).first(std::min(kGroup, pieces.size())))};
  read_until_done(files, pieces, rule, times);
  return times;
}

ReadTimes read_at_random(std::span<const StoredFile> files, std::uint64_t sample_bytes,
                         const StopRule& rule, std::uint64_t most_bytes) {
  ensure(sample_bytes > 0, "read_at_random: a sample has bytes");
  std::vector<ReadPiece> pieces = shuffled(pieces_of(files, sample_bytes), 1);
  keep(pieces, most_bytes);
  ReadTimes times{"read_random", sample_bytes};
  read_until_done(files, pieces, rule, times);
  return times;
}

}  // namespace oracle
