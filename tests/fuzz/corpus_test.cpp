#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "oracle/base/error.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace corpus_test {

namespace fs = std::filesystem;

const fs::path kRoot = ORACLE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Gives every file of the folder to the target; returns how many there were.
int run_folder(const Target& target, const fs::path& folder) {
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_NO_THROW(target.run(text_of(entry.path()))) << entry.path();
  }
  return files;
}

class Corpus : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
};

TEST_P(Corpus, EverySeedIsReadOrRefused) {
  EXPECT_GE(run_folder(GetParam(), kRoot / "tests/fuzz/corpus" / GetParam().name), 10);
  if (!GetParam().shipped.empty()) {
    EXPECT_GE(run_folder(GetParam(), kRoot / GetParam().shipped), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(kTargets),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(CorpusSize, StaysSmall) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests/fuzz/corpus")) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, 300'000U);
}

}  // namespace corpus_test
}  // namespace oracle::fuzz
