#include "microbench/storage/reading.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/cli/console.h"

namespace oracle {
namespace reading_test {

constexpr StopRule kBrief{.least = 3, .least_seconds = 0, .error = 1e9, .most_seconds = 0};
constexpr std::uint64_t kMebi = 1 << 20;

std::uint64_t bytes_of(const std::vector<ReadPiece>& pieces) {
  std::uint64_t sum = 0;
  for (const ReadPiece& piece : pieces) sum += piece.bytes;
  return sum;
}

TEST(Reading, PiecesCoverEveryByteOnce) {
  const std::vector<StoredFile> files = {{"a", 10}, {"b", 3}, {"c", 8}};
  const std::vector<ReadPiece> pieces = pieces_of(files, 4);
  ASSERT_EQ(pieces.size(), 6U);
  EXPECT_EQ(bytes_of(pieces), 21U);
  EXPECT_EQ(pieces[2].offset, 8U);
  EXPECT_EQ(pieces[2].bytes, 2U);
  EXPECT_EQ(pieces[3].file, 1U);
  const std::vector<ReadPiece> other = shuffled(pieces, 7), again = shuffled(pieces, 7);
  EXPECT_EQ(bytes_of(other), 21U);
  for (std::size_t i = 0; i < other.size(); ++i) {
    EXPECT_EQ(other[i].file, again[i].file);
    EXPECT_EQ(other[i].offset, again[i].offset);
    EXPECT_EQ(std::count_if(pieces.begin(), pieces.end(),
                            [&](const ReadPiece& piece) {
                              return piece.file == other[i].file && piece.offset == other[i].offset;
                            }),
              1);
  }
}

TEST(Reading, WorkedNumber) {
  const std::vector<ReadPiece> pieces =
      pieces_of(std::vector<StoredFile>{{"a", 40 * kMebi}}, kMebi);
  EXPECT_EQ(pieces.size(), 40U);
  const cli::Scratch scratch;
  const StoredFile file{scratch.file("a", std::string(40 * kMebi, 'a')), 40 * kMebi};
  const ReadTimes times = read_in_order({&file, 1}, kBrief, 1 << 30);
  EXPECT_EQ(times.operation, "read_sequential");
  EXPECT_EQ(times.bytes, 16 * kMebi);
  // Two whole groups a pass: a second pass was needed.
  EXPECT_EQ(times.series.values().size(), 3U);
}

TEST(Reading, AtRandomATimeIsThatOfOneSample) {
  const cli::Scratch scratch;
  const std::vector<StoredFile> files = {{scratch.file("a", std::string(1000, 'a')), 1000},
                                         {scratch.file("b", std::string(500, 'b')), 500}};
  const ReadTimes times = read_at_random(files, 100, kBrief, 1 << 30);
  EXPECT_EQ(times.operation, "read_random");
  EXPECT_EQ(times.bytes, 100U);
  EXPECT_EQ(times.series.values().size(), 3U);
  EXPECT_GT(times.series.median(), 0);
  EXPECT_TRUE(times.in_memory >= 0 && times.in_memory <= 1);
}

TEST(Reading, AFileThatGotShorterIsNamed) {
  const cli::Scratch scratch;
  const StoredFile file{scratch.file("a", "abc"), 10};
  try {
    read_in_order({&file, 1}, kBrief, 100);
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("is shorter than it was"), std::string::npos);
  }
}

}  // namespace reading_test
}  // namespace oracle
